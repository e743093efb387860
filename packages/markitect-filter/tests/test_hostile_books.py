"""Every hostile book of `markitect_filter.testing.hostile` that is quick to read, in processes of their own.

Time and memory are measured there, with generous caps: the suite also runs on slow and busy machines. `make corpus`
measures every hostile book through the real command against the bounds of 10 seconds and 512 MiB.
"""

import json
import subprocess
import sys

import pytest
from markitect_filter.testing.hostile import CASES

QUICK = {name: case for name, case in CASES.items() if not case.slow}
MOST_SECONDS = 20  # of the processor, for one book
MOST_SECONDS_FOR_TEXT = 5  # for 50,000 repetitions: anything quadratic takes minutes
MOST_MIB = 512

BUILD = """
import sys
from pathlib import Path
from markitect_filter.testing.hostile import CASES
for name in sys.argv[2:]:
    Path(sys.argv[1], name).write_bytes(CASES[name].build())
"""
READ = """
import json, resource, sys, time
from pathlib import Path
from markitect_filter.adapters import epub3_adapter_descriptor
from markitect_filter.testing.hostile import CASES
from markitect_filter.testing.invariants import violations, violations_of_inspection
from markitect_tool.source.messages import SourceInspectRequest, SourceReadRequest
from markitect_tool.source.model import SourceAsset
adapter = epub3_adapter_descriptor().factory()
for name in sys.argv[2:]:
    asset = SourceAsset(uri="hostile:book", path=str(Path(sys.argv[1], name)))
    start = time.process_time()
    inspection = adapter.inspect(SourceInspectRequest(asset))
    result = adapter.read(SourceReadRequest(asset))
    seconds = time.process_time() - start
    print(json.dumps({
        "name": name,
        "valid": result.valid,
        "codes": sorted({entry.code for entry in result.diagnostics}),
        "shows": result.document is None or CASES[name].shows in result.document.markdown,
        "violations": violations_of_inspection(inspection) + violations(result),
        "seconds": seconds,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 2**20),
    }), flush=True)
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """How each book ended. One process makes them, another one that never held more than its books reads them."""
    folder = tmp_path_factory.mktemp("hostile")
    subprocess.run([sys.executable, "-c", BUILD, str(folder), *QUICK], check=True)
    # started by a small process: the peak of the one that starts it would count
    start = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {READ!r}, *sys.argv[1:]]))"
    ended = subprocess.run(
        [sys.executable, "-c", start, str(folder), *QUICK], capture_output=True, encoding="utf-8", check=False
    )
    found = {outcome["name"]: outcome for outcome in map(json.loads, ended.stdout.splitlines())}
    assert ended.returncode == 0, (len(found), list(found)[-1:], ended.stderr[-2000:])
    return found


@pytest.mark.parametrize("name", QUICK)
def test_a_hostile_book_ends_as_it_should(name, outcomes):
    outcome, case = outcomes[name], QUICK[name]
    assert outcome["valid"] == case.valid, outcome
    assert set(case.codes) <= set(outcome["codes"]), outcome
    assert outcome["shows"], outcome
    assert outcome["violations"] == []
    assert outcome["seconds"] < (MOST_SECONDS_FOR_TEXT if name.startswith("repeat-") else MOST_SECONDS), outcome


def test_no_hostile_book_takes_much_memory(outcomes):
    largest = max(outcomes.values(), key=lambda outcome: outcome["mib"])
    assert largest["mib"] < MOST_MIB, largest
