"""What workspace-wide tests share: the repository, its built wheels, environments that have only those."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command, **settings):
    """Run a command and return what it printed; a failure shows what it said."""
    ended = subprocess.run(
        [str(part) for part in command], capture_output=True, encoding="utf-8", check=False, **settings
    )
    assert ended.returncode == 0, f"{command} ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


class Environment:
    """A virtual environment of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.scripts = folder / ("Scripts" if sys.platform == "win32" else "bin")

    def mkt(self, *arguments, **settings):
        """How `mkt` ended with these arguments."""
        return subprocess.run(
            [self.scripts / "mkt", *arguments], capture_output=True, encoding="utf-8", check=False, **settings
        )


@pytest.fixture(scope="session")
def root():
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def uv():
    """Run uv without the network."""
    return lambda *arguments, **settings: run(ROOT / "scripts/uv", *arguments, "--offline", "--quiet", **settings)


@pytest.fixture(scope="session")
def build_wheels(uv):
    """Build wheels from a project's folder with the build backend of this environment."""

    def build(project, output, *arguments):
        uv(
            "build",
            project,
            *arguments,
            "--wheel",
            "--no-build-isolation",
            "--python",
            sys.executable,
            "-o",
            output,
        )
        return sorted(output.glob("*.whl"))

    return build


@pytest.fixture(scope="session")
def wheels(build_wheels, tmp_path_factory):
    """The wheels of both packages and of the example adapters, by distribution."""
    output = tmp_path_factory.mktemp("wheels")
    built = build_wheels(ROOT, output, "--all-packages")
    for name in ("markitect-subtitles", "markitect-example-context-crm"):
        # A copy, because a build leaves files beside the sources of a project that git does not know.
        example = tmp_path_factory.mktemp("example") / name
        shutil.copytree(ROOT / "examples" / name, example)
        built = build_wheels(example, output)
    return {wheel.name.partition("-")[0].replace("_", "-"): wheel for wheel in built}


@pytest.fixture(scope="session")
def install(uv, tmp_path_factory):
    """Make an empty environment with these wheels, and with the locked dependencies of `package`."""

    def make(name, *files, package="markitect-workspace"):
        folder = tmp_path_factory.mktemp(name) / "venv"
        uv(
            "sync",
            "--project",
            ROOT,
            "--package",
            package,
            "--frozen",
            "--no-dev",
            "--no-install-workspace",
            "--python",
            sys.executable,
            env=environment(UV_PROJECT_ENVIRONMENT=str(folder)),
        )
        uv("pip", "install", "--no-deps", "--python", folder, *files)
        return Environment(folder)

    return make


@pytest.fixture(scope="session")
def installation(install, wheels):
    """An environment with every wheel and their dependencies, and nothing of this checkout."""
    return install("everything", *wheels.values())


def environment(**changes):
    """This process's environment without what ties a child to this checkout's environment."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    return {**kept, **changes}
