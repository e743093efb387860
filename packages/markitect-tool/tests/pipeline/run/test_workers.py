"""The driver's end of a worker process."""

import os
import signal
import time
from queue import SimpleQueue
from threading import Thread

import pytest
from markitect_tool.pipeline.building import stages_of
from markitect_tool.pipeline.engines import local
from markitect_tool.pipeline.process import Kept, Plan, Previous, Task
from markitect_tool.pipeline.stages import ExportedFile, SourceItem
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


@pytest.mark.parametrize(
    "left",
    [Previous(kept=Kept("record", "x" * (34 << 20))), Previous(outputs=(ExportedFile("a", "b", 1),) * 70_000)],
    ids=["a record", "many outputs"],
)
def test_few_documents_are_listed_ahead_when_an_earlier_run_left_much_of_them(left, tmp_path):
    listed, ended, ahead = [], [], []

    def tasks():
        for number in range(8):
            listed.append(number)
            ahead.append(len(listed) - len(ended))
            yield Task(SourceItem(f"{number}.txt", f"file:///{number}.txt"), left)

    local.run(Plan(sources=(str(tmp_path),), output=str(tmp_path / "out")), tasks(), ended.append)
    assert len(ended) == 8
    assert max(ahead) <= 4  # one being worked on, one behind it, one waiting, one just listed


def test_documents_are_worked_on_while_a_listing_takes_its_time(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    plan = Plan(sources=(str(tmp_path),), output=str(tmp_path / "out"))
    (item,) = stages_of(plan).items()
    listed, ended, ticks = [], [], []

    def tasks():
        for _ in range(2_000):
            if ended:
                return
            listed.append(len(listed))
            time.sleep(0.06)
            yield Task(item)

    local.run(plan, tasks(), ended.append, on_tick=lambda: ticks.append(len(listed)))
    assert len(listed) < 2_000
    assert len(ended) == len(listed)
    assert set(listed) - {0} <= {0, *ticks}  # a look at limits and signals after each that took so long
