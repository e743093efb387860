"""A library of small documents, an adapter that does harm on request, and ways to start a run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from markitect_tool.cli.main import cli
from markitect_tool.source import discovery

ROOT = Path(__file__).resolve().parents[5]
BOOKS = ".mkt-run"  # where a run keeps its books; all else in a target is output

# A document of this adapter is a title, and perhaps an order: what reading it does to the process.
DEADLY = """
import ctypes, os, signal, subprocess, time
from pathlib import Path

from markitect_tool.source.loading import read_bytes
from markitect_tool.testing.fakes import FakeAdapter, fake_descriptor


def descriptor():
    made = fake_descriptor("test.deadly", extensions=(".deadly",), media_types=())
    object.__setattr__(made, "factory", lambda: Deadly(made))
    return made


class Deadly(FakeAdapter):
    def read(self, request):
        for line in read_bytes(request).decode().splitlines()[1:]:
            order, _, argument = line.partition(" ")
            if order in ORDERS:
                ORDERS[order](argument)
        return super().read(request)


def once(argument):
    path, _, order = argument.partition(" ")
    if not os.path.exists(path):
        Path(path).touch()
        name, _, rest = order.partition(" ")
        ORDERS[name](rest)


def until(path):
    while not os.path.exists(path):
        time.sleep(0.01)


def note(path):
    with open(path, "a") as stream:
        stream.write(f"{os.getpid()}\\n")


def hog(mebibytes):
    held = [bytearray(os.urandom(1 << 20)) for _ in range(int(mebibytes))]
    time.sleep(1)
    del held


def spawn(path):
    child = subprocess.Popen(["sleep", "600"])
    Path(path).write_text(str(child.pid))


def fail(message):
    raise ValueError(message)


ORDERS = {
    "exit": lambda status: os._exit(int(status)),
    "kill": lambda number: os.kill(os.getpid(), int(number)),
    "crash": lambda _: ctypes.string_at(0),
    "sleep": lambda seconds: time.sleep(float(seconds)),
    "print": print,
    "hog": hog,
    "fail": fail,
    "once": once,
    "until": until,
    "note": note,
    "spawn": spawn,
    "leave": lambda path: Path(path).touch(),
}
"""


@pytest.fixture
def library(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Writes documents, by their names, into the folder `books`."""

    def write(documents: Mapping[str, str | bytes]) -> Path:
        folder = tmp_path / "books"
        folder.mkdir(exist_ok=True)
        for name, content in documents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return write


@pytest.fixture(scope="session")
def deadly_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for `sys.path` with the adapter of `.deadly` documents installed in it."""
    site = tmp_path_factory.mktemp("site")
    info = site / "deadly-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[markitect_tool.source_adapters]\ndeadly = deadly:descriptor\n")
    (site / "deadly.py").write_text(DEADLY)
    return site


class Mkt:
    """`mkt` in a folder of its own: in this process, or in one that can be killed."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "PYTHONPATH": str(site)}

    def __call__(self, *arguments: object) -> Result:
        """In this process."""
        return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="mkt", catch_exceptions=False)

    def start(self, *arguments: object, before: str = "", **settings: object) -> subprocess.Popen[str]:
        """`before` is Python that is run in the process first."""
        return subprocess.Popen(
            [sys.executable, "-c", f"{before}\nfrom markitect_tool.cli.main import main; main()", *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            **settings,
        )

    def process(self, *arguments: object, before: str = "", **settings: object) -> subprocess.CompletedProcess[str]:
        """In a process of its own, until it ends."""
        process = self.start(*arguments, before=before, **settings)
        try:
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def run(self, *arguments: object) -> Result:
        """`mkt pipeline run books --out out` and more."""
        return self("pipeline", "run", "books", "--out", "out", "--workers", 1, *arguments)

    def status(self, *arguments: object) -> dict[str, object]:
        """What `mkt pipeline status` knows."""
        shown = self("pipeline", "status", "out", "--format", "json", *arguments)
        assert shown.exit_code == 0, shown.stderr
        return json.loads(shown.stdout)

    def tree(self, out: str = "out") -> dict[str, bytes]:
        """Every file of a target but the run's own books."""
        root = self.folder / out
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.relative_to(root).parts[0] != BOOKS
        }


@pytest.fixture
def mkt_run(tmp_path: Path, deadly_site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mkt]:
    """`mkt` in `tmp_path`, which knows `.deadly` documents."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(deadly_site))
    discovery.default_source_adapter_registry.cache_clear()
    yield Mkt(tmp_path, deadly_site)
    discovery.default_source_adapter_registry.cache_clear()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real books."""
    folder = Path(os.environ.get("MARKITECT_CORPUS", ROOT / "../shared/corpus"))
    if not folder.is_dir():
        pytest.skip("there is no corpus: set MARKITECT_CORPUS")
    return folder


def workers_of(pid: int) -> list[int]:
    """The processes that a process has started (Linux)."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


@pytest.fixture
def children() -> Callable[[int], list[int]]:
    """The processes that a process has started."""
    if not os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        pytest.skip("needs /proc")
    return workers_of


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Waits until something is true."""

    def wait(true: Callable[[], bool], seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, "it has not come true"
            time.sleep(0.01)

    return wait


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def alive() -> Callable[[int], bool]:
    """Whether a process is."""
    return is_alive


@pytest.fixture(autouse=True)
def _default_signals() -> Iterator[None]:
    """A background job of a shell may be told to ignore SIGINT, and its children with it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
