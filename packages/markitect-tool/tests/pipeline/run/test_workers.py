"""The driver's end of a worker process."""

import os
import signal
from queue import SimpleQueue
from threading import Thread

import pytest
from markitect_tool.pipeline.process import Plan, Task
from markitect_tool.pipeline.stages import SourceItem
from markitect_tool.pipeline.workers import Assignment, Worker


@pytest.mark.skipif(os.name != "posix", reason="only there can a process be stopped")
def test_a_worker_that_does_not_listen_does_not_hold_its_driver_up(tmp_path, children):
    messages = SimpleQueue()
    worker = Worker(Plan(sources=(str(tmp_path),), output=str(tmp_path / "out")), messages)
    try:
        assert messages.get(timeout=120)[1] == "ready"
        for pid in children(os.getpid()):
            os.kill(pid, signal.SIGSTOP)
        more_than_a_pipe_holds = {"note": "x" * (1 << 20)}
        task = Task(SourceItem("a.txt", "file:///a.txt", config=more_than_a_pipe_holds))
        giving = Thread(target=worker.give, args=(Assignment(task),), daemon=True)
        giving.start()
        giving.join(timeout=30)
        assert not giving.is_alive()
    finally:
        worker.kill()
        worker.join()
