"""What a run is told to do: by flags, by a `pipeline.yaml`, or by both, in which case flags win.

A key of the file is the name of a flag without its dashes, but for `sources` and `options`. Paths in the file are
relative to its folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from markitect_tool.context.errors import MalformedDocumentError
from markitect_tool.context.reading import MAX_BYTES, decode, parse_yaml
from markitect_tool.context.registry import scheme_of
from markitect_tool.errors import SourceError
from markitect_tool.pipeline.checkpoint import Checkpoint
from markitect_tool.pipeline.engines import ENGINES
from markitect_tool.pipeline.errors import ConfigurationError, MissingCheckpointError
from markitect_tool.pipeline.exporters.making import FORMATS
from markitect_tool.pipeline.process import Plan
from markitect_tool.pipeline.quantities import parse_seconds, parse_size
from markitect_tool.pipeline.runner import Mode, Settings
from markitect_tool.pipeline.storage import open_url
from markitect_tool.pipeline.storage_local import LocalStorage
from markitect_tool.pipeline.target import Target
from markitect_tool.serialization import plain_json
from markitect_tool.source.discovery import default_source_adapter_registry
from markitect_tool.source.options import parse_assignments

LEVELS = ("document", "segment")


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"takes a text, not {value!r}")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple):
        raise ValueError(f"takes a list of texts, not {value!r}")
    return tuple(map(_text, values))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"takes true or false, not {value!r}")
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"takes a whole number from 1, not {value!r}")
    return value


def _one_of(choices: tuple[str, ...]) -> Callable[[Any], str]:
    def convert(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"takes one of {', '.join(choices)}, not {value!r}")
        return str(value)

    return convert


def _quantity(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, str | int | float | None):
            raise ValueError(f"takes a number with a unit, not {value!r}")
        return None if value is None else parse(str(value))

    return convert


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"takes a mapping, not {value!r}")
    return dict(plain_json(value))


FIELDS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "sources": _texts,
        "out": _text,
        "format": _one_of(FORMATS),
        "level": _one_of(LEVELS),
        "adapter": _text,
        "options": _mapping,
        "engine": _one_of(tuple(ENGINES)),
        "workers": _count,
        "address": _text,
        "resume": _flag,
        "restart": _flag,
        "quick": _flag,
        "prune": _flag,
        "strict": _flag,
        "timeout": _quantity(parse_seconds),
        "memory": _quantity(parse_size),
        "max-size": _quantity(parse_size),
        "shards": _count,
        "checkpoint": _text,
        "report": _text,
    }
)
_PATHS = ("out", "checkpoint", "report")


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a run is told to do, complete and checked."""

    plan: Plan
    settings: Settings
    report: str | None = None  # file for the report of the run
    strict: bool = False  # whether a document that was screened out counts as failed


def configure(
    flags: Mapping[str, Any], file: str | None = None, assignments: Iterable[tuple[str, str]] = ()
) -> Configuration:
    """The configuration of the settings in `flags`, by their names in a file, and in the file, which flags overrule.

    `assignments` are options of adapters as texts; each overrules that one option of the file. Raises
    `ConfigurationError`, and `SourceError` for an adapter or the value of an option that cannot be.
    """
    given = {} if file is None else read_file(file)
    values = {**given, **{name: _converted(name, value, "") for name, value in flags.items()}}
    values["options"] = {**given.get("options", {}), **_options(assignments, values.get("adapter"))}
    for name, what in (("sources", "SRC, what to read"), ("out", "--out, where the results go")):
        if not values.get(name):
            raise ConfigurationError(f"There is no {what}.", hint=f"Give it, or {name!r} in the file of --config.")
    if values.get("resume") and values.get("restart"):
        raise ConfigurationError("--resume goes on and --restart begins anew: give one of them.")
    report = values.get("report")
    if report and not os.path.isdir(os.path.dirname(os.path.abspath(report))):
        raise ConfigurationError(f"There is no folder for the report {report}.", source=report)
    defaults = Settings()
    mode: Mode = "resume" if values.get("resume") else "restart" if values.get("restart") else "new"
    plan = Plan(
        sources=values["sources"],
        output=values["out"],
        format=values.get("format", "markdown"),
        level=values.get("level", "document"),
        adapter=values.get("adapter"),
        options=values["options"],
        shards=values.get("shards", 1),
        max_size=values.get("max-size"),
    )
    settings = Settings(
        mode=mode,
        engine=values.get("engine", defaults.engine),
        workers=values.get("workers") or usable_processors(),
        address=values.get("address"),
        timeout=values.get("timeout", defaults.timeout),
        memory=values.get("memory", defaults.memory),
        folder=os.getcwd(),
        quick=values.get("quick", False),
        prune=values.get("prune", False),
        checkpoint=values.get("checkpoint"),
    )
    return Configuration(plan, settings, report, values.get("strict", False))


def configure_retry(out: str, checkpoint: str | None, code: str | None, flags: Mapping[str, Any]) -> Configuration:
    """The configuration of the latest run into `out`, with other limits where `flags` name them.

    Its relative paths begin at the folder where that run was started, so this process goes there. Raises a
    `CheckpointError` when there was none, and `ConfigurationError`.
    """
    target = Target.of(open_url(out), checkpoint)
    with Checkpoint.read(target.checkpoint) as book:
        before = book.latest_run()
    if before is None:
        raise MissingCheckpointError(f"No run has begun in {target.checkpoint}.", source=target.checkpoint)
    told = {name: _converted(name, value, "") for name, value in flags.items()}
    report = os.path.abspath(told.pop("report")) if told.get("report") else None
    known = {name: value for name, value in before.plan.items() if name in Plan.__slots__}
    # The target may have been moved since.
    output = target.storage.root if isinstance(target.storage, LocalStorage) else out
    plan = Plan(**{**known, "sources": tuple(known["sources"]), "output": output})
    settings = replace(
        Settings(**{name: value for name, value in before.settings.items() if name in Settings.__slots__}),
        mode="retry",
        retry_code=code,
        checkpoint=target.checkpoint,
        **told,
    )
    try:
        os.chdir(settings.folder)
    except OSError as error:
        raise ConfigurationError(
            f"The run was started in {settings.folder}, which cannot be entered: {error.strerror}.",
            hint="Use `mkt pipeline run --resume`.",
        ) from error
    return Configuration(plan, settings, report)


def read_file(path: str) -> dict[str, Any]:
    """The settings of a file. Raises `ConfigurationError` for anything that is not one."""
    try:
        with open(path, "rb") as stream:
            data = parse_yaml(decode(stream.read(MAX_BYTES + 1), path), path)
    except OSError as error:
        raise ConfigurationError(f"Cannot read {path}: {error.strerror}.", source=path) from error
    except MalformedDocumentError as error:
        found = error.diagnostic
        raise ConfigurationError(found.message, source=path, line=found.line) from error
    if not isinstance(data, dict):
        raise ConfigurationError(f"{path} holds no settings: write them as `name: value`.", source=path)
    settings = {}
    for name, value in data.items():
        if name not in FIELDS:
            near = get_close_matches(str(name).replace("_", "-"), FIELDS, 1)
            raise ConfigurationError(
                f"{path} has {name!r}, which is no setting.",
                source=path,
                hint=f"Did you mean {near[0]!r}?" if near else f"Settings: {', '.join(FIELDS)}.",
            )
        settings[name] = _converted(name, value, f"{path}: ")
    folder = os.path.dirname(path)
    for name in _PATHS:
        if name in settings:
            settings[name] = _below(folder, settings[name])
    if "sources" in settings:
        settings["sources"] = tuple(_below(folder, place) for place in settings["sources"])
    return settings


def usable_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _converted(name: str, value: Any, where: str) -> Any:
    try:
        return FIELDS[name](value)
    except ValueError as error:  # ModelError of `plain_json` is one as well
        raise ConfigurationError(f"{where}{name} {error}.", source=where.rstrip(": ") or None) from error


def _options(assignments: Iterable[tuple[str, str]], adapter: str | None) -> dict[str, Any]:
    """Texts as the values that the adapter takes; without one, the adapters that declare an option of the name."""
    registry = default_source_adapter_registry()
    options: dict[str, Any] = {}
    for pair in assignments:
        takers = list(registry) if adapter is None else [registry.get(adapter)]
        declaring = [taker for taker in takers if pair[0] in taker.option_schema.get("properties", {})]
        read, problems = parse_assignments((declaring or takers)[0], [pair])
        if problems:
            raise SourceError.of(problems[0])
        options |= read
    return options


def _below(folder: str, place: str) -> str:
    """A place that a file in `folder` names."""
    mark = "@" if place.startswith("@") else ""
    name = place.removeprefix(mark)
    return place if scheme_of(name) else mark + os.path.join(folder, name)
