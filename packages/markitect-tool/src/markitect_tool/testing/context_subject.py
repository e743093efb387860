"""The context adapter that the suite examines: what its author states about it, and the ways to run it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import pytest

from markitect_tool.context.model import Adapter, AdapterContext, AdapterResult, Trust
from markitect_tool.context.registry import AdapterRegistry
from markitect_tool.testing.isolation import run_fresh

SECRET = b"This lies beside the manifest's folder and is nobody's business."


@dataclass(frozen=True, slots=True)
class ContextSample:
    """Something that the adapter can load, set up by the author's fixture."""

    uri: str
    content: bytes  # exactly what is stored behind it
    dir: Path  # the manifest's folder
    config: Mapping[str, Any] = field(default_factory=dict)  # `adapters.<scheme>`, as JSON data


class ContextSubject:
    """Base of the rules: what an adapter's author states."""

    entry_point: ClassVar[str]
    """Where the adapter is, written as in the package's entry points: `package.module:attribute`."""
    schemes: ClassVar[tuple[str, ...]]
    """The schemes that it claims."""
    trust: ClassVar[Trust]
    """The level that is honest for it; the rule for choosing is in `docs/context-adapters.md`."""
    malformed: ClassVar[tuple[str, ...]]
    """URIs of its schemes that it must refuse whatever is stored."""

    @pytest.fixture
    def sample(self, context_dir: Path) -> ContextSample:
        """Set up the backend and the folder `context_dir`, and describe one thing to load. Override this."""
        raise NotImplementedError("override the fixture `sample`")

    def uri_of(self, name: str, sample: ContextSample) -> str:
        """The URI for another thing of that `name` in the same place. Override this if the end of it is no name."""
        return sample.uri.rpartition("/")[0] + "/" + quote(name, safe="")

    @pytest.fixture
    def context_dir(self, tmp_path: Path) -> Path:
        """The manifest's folder, beside which a secret lies."""
        folder = tmp_path / "project"
        folder.mkdir()
        (tmp_path / "secret.txt").write_bytes(SECRET)
        return folder

    @property
    def adapter(self) -> Adapter:
        """The adapter, made as discovery makes it."""
        return load_adapter(self.entry_point)

    def load(self, sample: ContextSample, uri: str | None = None, *, offline: bool = False) -> AdapterResult:
        """What the adapter itself returns, without the registry's checks."""
        return self.adapter.load(uri or sample.uri, AdapterContext(sample.dir, offline, sample.config))

    def load_through_registry(self, sample: ContextSample, **config: Any) -> AdapterResult:
        """What a project gets, with more settings of the operator."""
        ctx = AdapterContext(sample.dir, config={**sample.config, **config})
        return AdapterRegistry([self.adapter]).load(sample.uri, ctx)

    def load_elsewhere(
        self, sample: ContextSample, uris: list[str], *, refuse: tuple[str, ...], offline: bool = False
    ) -> list[dict[str, Any]]:
        """Load URIs in a fresh interpreter where the audit events `refuse` are errors that nobody handles.

        Each outcome is `{"content": hex}` or `{"code": ..., "message": ...}`.
        """
        ended = run_fresh(
            _LOADING,
            self.entry_point,
            json.dumps([str(sample.dir), offline, dict(sample.config), uris, refuse]),
            cwd=sample.dir,
        )
        assert ended.returncode == 0, ended.stderr
        outcomes: list[dict[str, Any]] = json.loads(ended.stdout)
        return outcomes


def load_adapter(entry_point: str) -> Adapter:
    """The adapter that `package.module:attribute` leads to: an adapter, or a class or function that makes one."""
    module, _, attribute = entry_point.partition(":")
    found = attrgetter(attribute)(import_module(module))
    adapter = found if isinstance(found, Adapter) and not isinstance(found, type) else found()
    assert isinstance(adapter, Adapter), f"{entry_point} makes a {type(adapter).__name__}, which is no adapter"
    return adapter


_LOADING = """
import json, sys
from pathlib import Path
from markitect_tool.context import AdapterContext, ContextError
from markitect_tool.testing.context_subject import load_adapter
from markitect_tool.testing.isolation import ForbiddenError
adapter = load_adapter(sys.argv[1])
folder, offline, config, uris, refused = json.loads(sys.argv[2])
secret = str(Path(folder).parent / "secret.txt")

def watch(event, arguments):
    if event in refused or (event == "open" and str(arguments[0]) == secret):
        raise ForbiddenError(f"{event}{arguments!r}")

sys.addaudithook(watch)
outcomes = []
for uri in uris:
    try:
        result = adapter.load(uri, AdapterContext(Path(folder), offline, config))
        outcomes.append({"content": result.content.hex()})
    except ContextError as error:
        outcomes.append({"code": error.code, "message": str(error)})
json.dump(outcomes, sys.stdout)
"""
