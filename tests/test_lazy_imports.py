"""Starting the command and listing adapters import nothing heavy, whatever is installed."""

import subprocess
import sys

import pytest
from markitect_tool.testing.isolation import HEAVY_MODULES, run_fresh

MKT = "import sys; sys.argv[0] = 'mkt'; from markitect_tool.cli.main import main; sys.exit(main())"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["context", "--help"],
        ["context", "list", "--help"],
        ["source", "--help"],
        ["source", "adapters"],
        ["source", "adapters", "--format", "json"],
    ],
    ids=" ".join,
)
def test_command_runs_with_every_heavy_library_forbidden(arguments):
    ended = run_fresh(MKT, *arguments, forbid=HEAVY_MODULES)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout


def test_normalizing_plain_text_needs_no_heavy_library(tmp_path):
    (tmp_path / "note.txt").write_text("Low water at nine.")
    ended = run_fresh(MKT, "source", "normalize", "note.txt", forbid=HEAVY_MODULES, cwd=tmp_path)
    assert ended.stdout.strip() == "Low water at nine."


@pytest.mark.parametrize("command", [["validate"], ["list"], ["get", "mission"], ["bundle"]], ids=lambda c: c[0])
def test_context_of_local_files_needs_no_heavy_library(root, command):
    ended = run_fresh(MKT, "context", *command, "-C", str(root / "examples/opencontext-project"), forbid=HEAVY_MODULES)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("package", ["markitect_tool", "markitect_filter", "markitect_tool.testing"])
def test_importing_a_package_imports_nothing_else_of_it(package):
    code = f"import sys, {package}; print(*(name for name in sys.modules if name.startswith('markitect_')))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    parent = package.partition(".")[0]
    assert set(ended.stdout.split()) == {parent, package}


def test_fakes_need_no_pytest():
    ended = run_fresh("from markitect_tool.testing import FakeAdapter, Sample, run_fresh", forbid=["pytest"])
    assert ended.returncode == 0, ended.stderr
