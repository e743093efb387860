"""`--output` under bad luck: killed at any moment, or with no room left, there is the old file or the new one."""

import os
import signal
import subprocess
import sys
import time

import pytest

OLD, LINES = b"the old file\n", 20_000
NEW = b"line\n" * LINES
# steps of writing a file, each a moment to die at; `before` or after it
STEPS = ("os.fsync", "os.replace")
DIE = """
import os, signal, sys
name, when = sys.argv.pop(1).split(":")
module, function = name.split(".")
module = __import__(module)
original = getattr(module, function)
def deadly(*arguments, **settings):
    if when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    result = original(*arguments, **settings)
    os.kill(os.getpid(), signal.SIGKILL)
    return result
setattr(module, function, deadly)
from markitect_tool.cli.main import main
main()
"""
NO_ROOM = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from markitect_tool.cli.main import main
main()
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


@pytest.fixture
def files(tmp_path):
    """A source, and an output file that is there already."""
    source, output = tmp_path / "source.txt", tmp_path / "out" / "output.md"
    output.parent.mkdir()
    source.write_bytes(NEW)
    output.write_bytes(OLD)
    return source, output


def normalize(source, output):
    return ["source", "normalize", str(source), "--output", str(output)]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_command_killed_at_a_step_of_writing_leaves_the_old_file_or_the_new(step, when, files):
    source, output = files
    ended = subprocess.run([sys.executable, "-c", DIE, f"{step}:{when}", *normalize(source, output)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert output.read_bytes() == (NEW if (step, when) == ("os.replace", "after") else OLD)


def test_a_command_killed_at_any_time_leaves_the_old_file_or_the_new(files):
    source, output = files
    command = [sys.executable, "-c", "from markitect_tool.cli.main import main; main()", *normalize(source, output)]
    start = time.monotonic()
    assert subprocess.run(command, check=False).returncode == 0
    whole = time.monotonic() - start
    for number in range(12):
        output.write_bytes(OLD)
        process = subprocess.Popen(command)
        time.sleep(whole * (0.5 + number / 20))
        process.kill()
        process.wait()
        assert output.read_bytes() in (OLD, NEW)


def test_a_command_that_runs_out_of_room_says_so_and_leaves_the_old_file_alone(files):
    source, output = files
    ended = subprocess.run(
        [sys.executable, "-c", NO_ROOM, *normalize(source, output)], capture_output=True, encoding="utf-8", check=False
    )
    assert ended.returncode == 1
    assert "Cannot write" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert output.read_bytes() == OLD
    assert os.listdir(output.parent) == [output.name]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_device_as_output_is_one_clear_message(files):
    source, _ = files
    command = [
        sys.executable,
        "-c",
        "from markitect_tool.cli.main import main; main()",
        *normalize(source, "/dev/full"),
    ]
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 1
    assert "No space left" in ended.stderr
    assert "Traceback" not in ended.stderr
