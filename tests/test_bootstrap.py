"""`scripts/uv` on machines with and without uv, Python and the network, all of them made of small shell scripts."""

import shutil
import subprocess

import pytest

PYTHON = """#!/bin/sh
echo "python $*" >> "$LOG"
case "$*" in
    "-c "*) exit {version_status} ;;
    "--version") echo "Python 3.11.0" ;;
    "-m venv "*) mkdir -p "$4/bin" && touch "$4/bin/python" ;;
    "-m pip "*)
        [ {pip_status} = 0 ] || exit 1
        printf '#!/bin/sh\\necho "uv $*"\\n' > "$(dirname "$4")/uv" && chmod +x "$(dirname "$4")/uv" ;;
esac
"""


class Machine:
    """A clone of the repository on a machine that has a shell and what a test puts there."""

    def __init__(self, folder, script):
        self.clone = folder / "clone"
        self.programs = folder / "programs"
        self.log = folder / "log"
        (self.clone / "scripts").mkdir(parents=True)
        shutil.copy(script, self.clone / "scripts/uv")
        self.programs.mkdir()
        for name in ("sh", "dirname", "mkdir", "touch", "chmod", "rm"):
            (self.programs / name).symlink_to(shutil.which(name))

    def add(self, name, text):
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def add_python(self, name="python3", version_status=0, pip_status=0):
        self.add(name, PYTHON.format(version_status=version_status, pip_status=pip_status))

    def uv(self, *arguments):
        return subprocess.run(
            [self.clone / "scripts/uv", *arguments],
            env={"PATH": str(self.programs), "LOG": str(self.log)},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def installations(self):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if " -m pip " in f" {line} "]


@pytest.fixture
def machine(tmp_path, root):
    return Machine(tmp_path, root / "scripts/uv")


def test_uv_of_the_machine_is_used(machine):
    machine.add("uv", '#!/bin/sh\necho "own uv $*"\n')
    assert machine.uv("sync", "--frozen").stdout == "own uv sync --frozen\n"
    assert not (machine.clone / ".venv-bootstrap").exists()


def test_missing_uv_is_installed_into_an_environment_of_the_clone(machine):
    machine.add_python()
    assert machine.uv("sync").stdout == "uv sync\n"
    target = machine.clone / ".venv-bootstrap/bin/python"
    assert machine.installations() == [
        f"python -m pip --python {target} --disable-pip-version-check install --quiet uv"
    ]


def test_uv_is_installed_once(machine):
    machine.add_python()
    machine.uv("sync")
    assert machine.uv("lock").stdout == "uv lock\n"
    assert len(machine.installations()) == 1


def test_old_python_is_passed_over(machine):
    machine.add_python("python3", version_status=1)
    machine.add_python("python3.12")
    assert machine.uv("sync").stdout == "uv sync\n"


def test_machine_without_a_new_enough_python_is_told_so(machine):
    machine.add_python("python3", version_status=1)
    ended = machine.uv("sync")
    assert ended.returncode == 1
    assert "needs Python 3.11 or newer" in ended.stderr


def test_failed_installation_leaves_nothing_behind(machine):
    machine.add_python(pip_status=1)
    ended = machine.uv("sync")
    assert ended.returncode == 1
    assert "installing uv with pip failed" in ended.stderr
    assert not (machine.clone / ".venv-bootstrap").exists()
