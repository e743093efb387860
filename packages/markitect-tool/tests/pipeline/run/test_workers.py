"""The driver's end of a worker process."""

import os
import signal
from queue import SimpleQueue
from threading import Thread

import pytest
from markitect_tool.pipeline.engines import local
from markitect_tool.pipeline.process import Kept, Plan, Previous, Task
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


def test_few_documents_are_listed_ahead_when_an_earlier_run_kept_much_of_them(tmp_path):
    listed, ended, ahead = [], [], []
    kept = Previous(kept=Kept("record", "x" * (34 << 20)))

    def tasks():
        for number in range(8):
            listed.append(number)
            ahead.append(len(listed) - len(ended))
            yield Task(SourceItem(f"{number}.txt", f"file:///{number}.txt"), kept)

    local.run(Plan(sources=(str(tmp_path),), output=str(tmp_path / "out")), tasks(), ended.append)
    assert len(ended) == 8
    assert max(ahead) <= 4  # one being worked on, one behind it, one waiting, one just listed
