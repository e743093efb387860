"""Two nodes of Ray on this machine, and what becomes of a run that loses one. `make test-ray` runs these."""

import os
import signal
import sqlite3
import threading
from contextlib import closing

import pytest

pytestmark = pytest.mark.ray
ray = pytest.importorskip("ray") if not os.environ.get("MARKITECT_REQUIRE_ALL") else __import__("ray")

# A lost node is noticed within seconds.
QUICK = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000, "health_check_failure_threshold": 5}


@pytest.fixture(scope="session")
def cluster(deadly_site):
    """Two nodes with two processors each, which know `.deadly` documents."""
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 2, "object_store_memory": 80 * 1024 * 1024}
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", str(deadly_site))
        environment.setenv("RAY_USAGE_STATS_ENABLED", "0")
        cluster = Cluster(
            initialize_head=True, head_node_args={**node, "include_dashboard": False, "_system_config": QUICK}
        )
        cluster.node_settings = node
        cluster.add_node(**node)
        yield cluster
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture
def on_ray(cluster, mkt_run):
    """`mkt pipeline run` on the cluster, in this process."""

    def run(*arguments):
        return mkt_run("pipeline", "run", "books", "--engine", "ray", "--address", cluster.address, *arguments)

    return run


def text_of(number, *orders):
    return "\n".join(["FAKE " + f"title {number}", *orders, "", f"Text of {number}."])


def test_a_node_is_lost_in_mid_run_and_the_output_is_that_of_one_machine(
    cluster, on_ray, mkt_run, library, eventually, alive
):
    notes, gate = mkt_run.folder / "notes", mkt_run.folder / "gate"
    library({f"{number:02}.deadly": text_of(number, f"note {notes}", f"until {gate}") for number in range(24)})
    library({"plain.txt": "a text", "broken.epub": b"PK\x03\x04 cut off"})

    def lose_a_node():
        eventually(lambda: notes.exists() and len(set(notes.read_text().split())) == 4)  # every processor is busy
        pids = set(map(int, notes.read_text().split()))
        cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)
        eventually(lambda: sum(map(alive, pids)) == 2)  # what was on it is no more
        gate.touch()

    killer = threading.Thread(target=lose_a_node)
    killer.start()
    ended = on_ray("--out", "ray", "--format", "jsonl", "--level", "segment", "--shards", 2, "--workers", 4)
    killer.join()
    cluster.add_node(**cluster.node_settings)
    assert ended.exit_code == 1, ended.output  # for the broken book
    assert len(notes.read_text().split()) > 24  # what the node had in hand was begun anew
    mkt_run.run("--out", "local", "--format", "jsonl", "--level", "segment", "--shards", 2)
    assert mkt_run.tree("ray") == mkt_run.tree("local")


def test_what_a_lost_driver_had_not_noted_is_not_done_again(cluster, on_ray, mkt_run, library, eventually):
    notes, gate = mkt_run.folder / "notes", mkt_run.folder / "gate"
    library({f"{number:02}.deadly": text_of(number, f"note {notes}/{number}") for number in range(16)})
    library({"99.deadly": text_of(99, f"until {gate}")})
    notes.mkdir()
    noted = mkt_run.folder / "out/.mkt-ray/checkpoint"  # by Ray: an outcome was written before
    driver = mkt_run.start("pipeline", "run", "books", "--engine", "ray", "--address", cluster.address, "--out", "out")
    eventually(lambda: noted.is_dir() and len(list(noted.glob("*.parquet"))) == 16)
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    with closing(sqlite3.connect(mkt_run.folder / "out/.mkt-run/checkpoint.sqlite")) as checkpoint, checkpoint:
        checkpoint.execute("DELETE FROM documents")
    gate.touch()
    ended = on_ray("--out", "out", "--resume")
    assert ended.exit_code == 0, ended.output
    assert mkt_run.status()["counts"]["done"] == 17
    assert [len(path.read_text().split()) for path in notes.iterdir()] == [1] * 16
    mkt_run.run("--out", "local")
    assert mkt_run.tree("out") == mkt_run.tree("local")


def test_a_document_that_kills_its_process_is_recorded_and_costs_no_other(on_ray, mkt_run, library):
    library({f"{number:02}.deadly": text_of(number) for number in range(8)})
    library({"poison.deadly": text_of(0, "kill 9")})
    ended = on_ray("--out", "out")
    assert ended.exit_code == 1, ended.output
    shown = mkt_run.status()
    assert shown["counts"] == {"done": 8, "failed": 1, "screened": 0}
    (failure,) = shown["failures"]
    assert (failure["key"], failure["attempts"]) == ("poison.deadly", 2)


def test_interrupted_a_run_finishes_what_is_in_hand_and_can_be_resumed(cluster, on_ray, mkt_run, library, eventually):
    notes, gate = mkt_run.folder / "notes", mkt_run.folder / "gate"
    library({f"{number:02}.deadly": text_of(number, f"note {notes}", f"until {gate}") for number in range(32)})
    driver = mkt_run.start("pipeline", "run", "books", "--engine", "ray", "--address", cluster.address, "--out", "out")
    eventually(notes.exists)
    driver.send_signal(signal.SIGINT)
    gate.touch()
    _out, err = driver.communicate(timeout=300)
    assert driver.returncode == 130, err
    done = mkt_run.status()["counts"]["done"]
    assert done < 32
    assert on_ray("--out", "out", "--resume").exit_code == 0
    assert mkt_run.status()["counts"] == {"done": 32, "failed": 0, "screened": 0}
    assert not (mkt_run.folder / "out/.mkt-ray").exists()
