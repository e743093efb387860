"""What a read must not depend on, and must not touch."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path

import pytest

from markitect_tool.source.messages import SourceReadRequest
from markitect_tool.testing.isolation import run_fresh
from markitect_tool.testing.subject import Subject, as_json

PRINTING = """
import sys
from pathlib import Path
from markitect_tool.source.api import inspect_source, normalize_source
from markitect_tool.source.registry import SourceAdapterRegistry
from markitect_tool.testing.subject import as_json, load_descriptor
descriptor = load_descriptor(sys.argv[1])
arguments = {
    "source": Path(sys.argv[2]).read_bytes(),
    "uri": "sample:" + Path(sys.argv[2]).name,
    "adapter_id": descriptor.id,
    "registry": SourceAdapterRegistry([descriptor]),
}
for result in inspect_source(**arguments), normalize_source(**arguments):
    sys.stdout.buffer.write(as_json(result).encode("utf-8"))
"""

SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "4242", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "1"},
)


class PurityRules(Subject):
    """Rules on determinism and side effects."""

    @pytest.mark.parametrize("environment", SURROUNDINGS, ids=["plain-c-locale", "turkish-locale"])
    def test_output_is_the_same_bytes_in_another_process(self, environment: dict[str, str], tmp_path: Path) -> None:
        """With another hash seed, locale, time zone and working directory."""
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        path = self.good.write(tmp_path)
        ended = run_fresh(PRINTING, self.entry_point, str(path), environment=environment, cwd=elsewhere)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout == as_json(self.inspect(self.good)) + as_json(self.read(self.good))

    def test_reading_uses_no_network_and_no_other_process(self, tmp_path: Path) -> None:
        path = self.good.write(tmp_path)
        ended = run_fresh(PRINTING, self.entry_point, str(path), refuse_side_effects=True)
        assert ended.returncode == 0, ended.stderr

    def test_reading_leaves_the_folder_of_the_source_as_it_was(self, tmp_path: Path) -> None:
        path = self.good.write(tmp_path)
        before = path.stat()
        self.inspect(path)
        self.read(path)
        assert [entry.name for entry in tmp_path.iterdir()] == [self.good.name]
        assert path.read_bytes() == self.good.content
        assert path.stat().st_mtime_ns == before.st_mtime_ns

    def test_source_may_be_read_only(self, tmp_path: Path) -> None:
        path = self.good.write(tmp_path)
        path.chmod(0o444)
        assert self.read(path).valid

    def test_source_is_closed_after_reading(self, tmp_path: Path) -> None:
        """A file left open can't be replaced on some systems, and warns."""
        path = self.good.write(tmp_path)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ResourceWarning)
            self.document(path)
            gc.collect()
        assert [str(entry.message) for entry in caught if entry.category is ResourceWarning] == []

    def test_request_is_not_changed(self) -> None:
        request = SourceReadRequest(self.good.asset, dict(self.options), self.good.content)
        before = request.to_dict()
        self.descriptor.factory().read(request)
        assert request.to_dict() == before
