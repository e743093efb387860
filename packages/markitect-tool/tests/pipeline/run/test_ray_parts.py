"""What the engine on Ray does with a chunk, a node and a refusal: without a cluster."""

import json
import os
import pickle
import sys

import pytest
from markitect_tool.diagnostics import diagnostic
from markitect_tool.pipeline.building import stages_of
from markitect_tool.pipeline.engines import ray as engine
from markitect_tool.pipeline.errors import ConfigurationError, WorkersFailedError
from markitect_tool.pipeline.process import Kept, Limits, Outcome, Plan, Previous, Task
from markitect_tool.pipeline.stages import ExportedFile

pytestmark = pytest.mark.ray


class Signals:
    """The driver's end, in the same process."""

    def __init__(self):
        self.stopped = False
        self.errors = []

    def is_stopped(self):
        return self.stopped

    def report(self, error):
        self.errors.append(error)


@pytest.fixture
def signals():
    return Signals()


@pytest.fixture
def plan(mkt_run):
    (mkt_run.folder / "books").mkdir()
    return Plan((str(mkt_run.folder / "books"),), str(mkt_run.folder / "out"), adapter="test.deadly")


@pytest.fixture
def chunk(plan, library):
    """The block of Ray with the tasks of documents."""

    def make(documents):
        from markitect_tool.pipeline.engines.ray_stages import Chunks

        library(documents)
        tasks = [(f"id of {item.key}", Task(item)) for item in stages_of(plan).items()]
        (read_task,) = Chunks([tasks]).get_read_tasks(1)
        (table,) = pickle.loads(pickle.dumps(read_task.read_fn())) or ()
        return table

    return make


@pytest.fixture
def work(plan, signals, mkt_run):
    """Works on chunks as a node does."""
    from markitect_tool.pipeline.engines import ray_stages

    storage = stages_of(plan).storage
    storage.write_durably("token", b"")
    node = ray_stages.Node(plan, stages_of(plan).fingerprint, "token", str(mkt_run.folder), signals)
    yield ray_stages.Work(node, Limits(timeout=60))
    for bench in ray_stages._BENCHES.values():
        bench.dismiss()
    ray_stages._BENCHES.clear()


def outcomes(table):
    from markitect_tool.pipeline.engines.ray_stages import from_json

    return {row["id"]: from_json(row["outcome"]) for row in table.to_pylist()}


def test_a_chunk_becomes_the_outcomes_of_its_documents(work, chunk):
    found = outcomes(work(chunk({"a.deadly": "FAKE a\n\nA.", "b.deadly": "FAKE b\n\nB."})))
    assert {name: outcome.status for name, outcome in found.items()} == {
        "id of a.deadly": "done",
        "id of b.deadly": "done",
    }


def test_one_child_process_serves_chunk_after_chunk(work, chunk, mkt_run):
    table = chunk({"a.deadly": f"FAKE a\nnote {mkt_run.folder}/pids\n\nA."})
    work(table)
    work(table)
    first, second = (mkt_run.folder / "pids").read_text().split()
    assert first == second


def test_a_chunk_in_which_a_process_dies_is_whole_and_the_next_one_too(work, chunk):
    table = chunk({"a.deadly": "FAKE a\nkill 9\n\nA.", "b.deadly": "FAKE b\n\nB."})
    for _ in range(2):
        found = outcomes(work(table))
        assert (found["id of a.deadly"].status, found["id of b.deadly"].status) == ("failed", "done")
        assert found["id of a.deadly"].attempts == 2


def test_when_the_run_is_being_stopped_no_chunk_is_begun(work, chunk, signals):
    signals.stopped = True
    assert work(chunk({"a.deadly": "FAKE a\n\nA."})).num_rows == 0


def test_a_chunk_of_which_the_checkpoint_left_nothing_has_no_outcome(work):
    import pyarrow

    assert work(pyarrow.table({})).num_rows == 0


def test_a_target_that_cannot_be_written_ends_the_chunk(work, chunk, plan, mkt_run):
    table = chunk({f"{number}.deadly": f"FAKE {number}\n\nText." for number in range(9)})
    for number in range(9):
        (mkt_run.folder / f"out/{number}.deadly.md/in-the-way").mkdir(parents=True)
    found = list(outcomes(work(table)).values())
    assert found[0].target_failed
    assert found[0].kept.stage == "record"
    assert len(found) < 9


def test_a_node_that_does_not_see_the_target_says_so(work, chunk, plan, signals):
    table = chunk({"a.deadly": "FAKE a\n\nA."})
    stages_of(plan).storage.delete(["token"])
    with pytest.raises(WorkersFailedError, match="does not see the target") as caught:
        work(table)
    assert signals.errors == [caught.value]


def test_a_node_with_other_versions_says_so(work, chunk, signals):
    from dataclasses import replace

    other = replace(work, node=replace(work.node, fingerprint="of other versions"))
    with pytest.raises(WorkersFailedError, match="other versions"):
        other(chunk({"a.deadly": "FAKE a\n\nA."}))
    assert pickle.loads(pickle.dumps(signals.errors[0])).diagnostic.hint == "Install the same packages on every node."


def test_an_outcome_in_a_file_is_the_same(work, plan):
    from markitect_tool.pipeline.engines.ray_stages import OUTCOMES, OutcomeFiles, from_json, to_json

    outcome = Outcome(
        "a\udc80",
        "file:///a",
        "failed",
        "sha256:0",
        "print",
        (ExportedFile("a.md", "sha256:1", 3),),
        (diagnostic("source.malformed", "It is no book.", line=3, count=2),),
        seconds=0.1 + 0.2,
        peak_bytes=1 << 40,
        kept=Kept("input", "{}"),
    )
    assert from_json(to_json(outcome)) == outcome
    assert from_json(to_json(Outcome("a", "b", "done"))) == Outcome("a", "b", "done")
    import pyarrow

    OutcomeFiles(work.node).write([pyarrow.table({"id": ["1"], "outcome": [to_json(outcome)]})], None)
    OutcomeFiles(work.node).write([pyarrow.table({})], None)
    (written,) = stages_of(plan).storage.list(OUTCOMES)
    assert b"It is no book." in stages_of(plan).storage.read(written.name)


def refused(plan, **settings):
    with pytest.raises(ConfigurationError) as caught:
        engine.run(plan, iter(()), print, **settings)
    return caught.value.diagnostic


def test_a_target_in_memory_is_refused(plan):
    from dataclasses import replace

    assert "shares" in refused(replace(plan, output="memory://out")).hint


def test_an_address_of_the_client_server_is_refused(plan):
    assert "--address auto" in refused(plan, address="ray://head:10001").hint


def test_ray_is_missing(plan, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert refused(plan).hint == "pip install 'markitect-tool[ray]'"


def test_there_is_no_cluster_at_the_address(plan):
    with pytest.raises(WorkersFailedError, match=r"127\.0\.0\.1:9"):
        engine.run(plan, iter(()), print, address="127.0.0.1:9")


class Executions:
    """A cluster that writes outcomes when it is told to, in executions that each give some."""

    def __init__(self, storage, *executions):
        self.stopped = False
        self.asked = []
        self._storage = storage
        self._executions = list(executions)

    def execute(self, tasks, collect, *, with_checkpoint):
        self.asked.append(([task.item.key for _, task in tasks], with_checkpoint))
        for identity in self._executions.pop(0):
            leave(self._storage, identity)
        collect()


def leave(storage, identity, key="a.deadly", path="a.md"):
    from markitect_tool.pipeline.engines.ray_stages import OUTCOMES, to_json

    outcome = Outcome(key, "file:///a", "done", outputs=(ExportedFile(path, "sha256:1", 3),))
    storage.write_durably(f"{OUTCOMES}/{os.urandom(8).hex()}.jsonl", json.dumps([identity, to_json(outcome)]).encode())


@pytest.fixture
def wave(plan, library):
    """A wave of one document; what it is called, its storage and the outcomes that it tells of."""
    library({"a.deadly": "FAKE a\n\nA."})
    told = []
    storage = stages_of(plan).storage
    made = engine._Wave(storage, plan, [Task(item) for item in stages_of(plan).items()], told.append)
    (identity,) = made._waiting
    return made, identity, storage, told


def test_a_wave_tells_of_each_document_once_and_leaves_nothing(wave):
    made, identity, storage, told = wave
    cluster = Executions(storage, [identity, "of another run"])
    made.run(cluster)
    assert [outcome.key for outcome in told] == ["a.deadly"]
    assert cluster.asked == [(["a.deadly"], True)]
    assert list(storage.list()) == []


def test_an_outcome_that_a_lost_driver_left_holds_if_its_files_do(wave):
    made, identity, storage, told = wave
    leave(storage, identity)
    storage.write_durably("a.md", b"abc")
    made.run(Executions(storage))
    assert [outcome.key for outcome in told] == ["a.deadly"]


@pytest.mark.parametrize("content", [b"", b"abcd"])
def test_an_outcome_whose_files_are_others_is_made_again_without_the_checkpoint(wave, content):
    made, identity, storage, told = wave
    leave(storage, identity)
    if content:
        storage.write_durably("a.md", content)
    cluster = Executions(storage, [], [identity])  # Ray leaves it out at first
    made.run(cluster)
    assert len(told) == 1
    assert [with_checkpoint for _, with_checkpoint in cluster.asked] == [True, False]


def test_an_outcome_that_somebody_has_damaged_is_as_good_as_lost(wave):
    from markitect_tool.pipeline.engines.ray_stages import OUTCOMES

    made, identity, storage, told = wave
    for number, line in enumerate([b"{", b"[1]", b"[1, 2]", b'["a", "{}"]', b'["a", "[]"]', b"\xff"]):
        storage.write_durably(f"{OUTCOMES}/damaged-{number}.jsonl", line)
    made.run(Executions(storage, [identity]))
    assert len(told) == 1


def test_a_cluster_that_never_tells_of_a_document_ends_the_run(wave):
    made, _, storage, _ = wave
    with pytest.raises(WorkersFailedError, match="without the outcome of 1 document"):
        made.run(Executions(storage, [], []))


def test_a_task_has_another_identity_for_whatever_could_lead_to_another_outcome(plan, library):
    from dataclasses import replace

    library({"a.deadly": "FAKE a\n\nA."})
    (item,) = stages_of(plan).items()
    task = Task(item)
    same = {engine._identity(other, task) for other in (plan, replace(plan, shards=3, storage_options={"key": "x"}))}
    assert len(same) == 1
    others = [
        (replace(plan, format="jsonl"), task),
        (replace(plan, options={"upper": True}), task),
        (plan, replace(task, item=replace(item, modified_ns=1))),
        (plan, replace(task, reuse="never")),
        (plan, replace(task, previous=Previous("done", "sha256:0"))),
    ]
    assert len(same | {engine._identity(*other) for other in others}) == 6
