"""Change real books and books of our own in their structure, read them, and check what must always hold.

    python scripts/fuzz.py [--seconds N] [--seed N] [--replay FILE...]

Rounds run in a process of their own with bounded memory, so that a crash, a hang or a leak is a finding like any other.
Hypothesis drives the changes and makes what it finds as small as it can. Findings are kept in `build/fuzz`: the book,
and what was done to it. Ends with status 1 when there is one. `MARKITECT_CORPUS` is the folder of the corpus.
"""

import argparse
import faulthandler
import json
import os
import resource
import subprocess
import sys
import time
import zipfile
import zlib
from collections import Counter
from io import BytesIO
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from markitect_filter.adapters import epub3_adapter_descriptor
from markitect_filter.testing.books import Book, ncx_page
from markitect_filter.testing.invariants import violations, violations_of_inspection
from markitect_filter.testing.mutation import KINDS, Mutation, mutated
from markitect_tool.source.messages import SourceInspectRequest, SourceReadRequest
from markitect_tool.source.model import SourceAsset

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("MARKITECT_CORPUS", ROOT / "../shared/corpus"))
FINDINGS = ROOT / "build/fuzz"
LARGEST = 300_000  # bytes of a book: larger ones are slow and teach nothing more
ROUND = 400  # books
MOST_SECONDS = 10  # for one book
MOST_MEMORY = 2**30  # bytes of one process

PAGE = """<h1 id="top">Tides</h1><p>Alpha<a epub:type="noteref" href="#n1">1</a> and <b>bo</b><i>ld</i>,
<code>a`b</code>, x<sub>2</sub><sup>3</sup> <q>so</q>.<br/>Next <a href="b.xhtml#t">table</a>,
<a href="../../x">out</a>.</p>
<aside epub:type="footnote" id="n1"><p>1. A note with <a href="#top">a link</a>.</p></aside><ul><li>one<ol start="4">
<li><p>in</p><pre>code
 more</pre></li></ol></li><li>two</li></ul><blockquote><p>quoted</p></blockquote><span epub:type="pagebreak" title="7"/>
<figure><img src="p.png" alt="a [b]"/><figcaption>caption</figcaption></figure><dl><dt>term</dt><dd>said</dd></dl>
<p><ruby>a<rt>b</rt></ruby> <math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>x</mi><msup><mn>2</mn><mi>n</mi>
</msup></mfrac></math> <svg xmlns="http://www.w3.org/2000/svg"><title>s</title><image xlink:href="p.png"/></svg></p>"""
TABLE = """<h2 id="t">Table</h2><table><caption>c</caption><thead><tr><th colspan="2">h</th></tr></thead><tbody><tr>
<td rowspan="2">a|b</td><td><p>x</p><ul><li>y</li></ul></td></tr><tr><td><a href="a.xhtml#n1">n</a></td></tr></tbody>
</table><section epub:type="endnotes"><ol><li id="e1">end</li></ol></section><p><a href="#e1">*</a> <a id="t2"/></p>"""
POINTS = '<navPoint id="x"><navLabel><text>A</text></navLabel><content src="a.xhtml#n1"/></navPoint>'


def books() -> list[tuple[str, list[tuple[str, bytes]]]]:
    """The books to change: name and members."""
    own = Book({"a.xhtml": PAGE, "b.xhtml": TABLE, "c.xhtml": PAGE}, {"OPS/p.png": b"x"}, ncx=ncx_page(POINTS))
    found = [("own", own.pack())] * 40  # of the corpus most are alike, and each is as likely as this one
    found += [
        (path.stem, path.read_bytes()) for path in sorted(CORPUS.rglob("*.epub")) if path.stat().st_size <= LARGEST
    ]
    return [(name, members) for name, data in found if (members := members_of(data))]


def members_of(data: bytes) -> list[tuple[str, bytes]]:
    """The members of a book; none of one that is no sound archive."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return [(entry.filename, archive.read(entry)) for entry in archive.infolist() if not entry.is_dir()]
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError):
        return []


def check(data: bytes) -> list[str]:
    """Read and inspect a book: what is wrong with the results."""
    adapter = epub3_adapter_descriptor().factory()
    asset = SourceAsset(uri="fuzz:book", media_type="application/epub+zip", size=len(data))
    start = time.process_time()
    found = violations_of_inspection(adapter.inspect(SourceInspectRequest(asset, content=data)))
    found += violations(adapter.read(SourceReadRequest(asset, content=data)))
    if (taken := time.process_time() - start) > MOST_SECONDS / 2:
        found.append(f"it takes {taken:.1f} s")
    return found


def run_round(number: int, until: float) -> None:
    """One round, in this process. Raises at the first finding, once hypothesis has made it small."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    known, seen = books(), Counter[str]()
    current = FINDINGS / f"current-{os.getpid()}.epub"
    numbers = st.integers(0, 2**16)
    mutations = st.lists(
        st.builds(Mutation, st.integers(0, KINDS - 1), numbers, numbers, numbers), min_size=1, max_size=5
    )

    @seed(number)
    @settings(
        max_examples=ROUND,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(st.integers(0, len(known) - 1), mutations)
    def every_book_is_read(book: int, changes: list[Mutation]) -> None:
        if time.monotonic() > until:
            return
        name, members = known[book]
        data = mutated(members, changes)
        current.write_bytes(data)
        faulthandler.dump_traceback_later(3 * MOST_SECONDS, exit=True)
        seen["books"] += 1
        seen.update(change.name for change in changes)
        (FINDINGS / f"current-{os.getpid()}.txt").write_text(f"{name}: {[(c.name, c) for c in changes]}\n")
        found = check(data)
        faulthandler.cancel_dump_traceback_later()
        assert not found, found

    try:
        every_book_is_read()
        current.unlink(missing_ok=True)
        (FINDINGS / f"current-{os.getpid()}.txt").unlink(missing_ok=True)
    finally:
        print(json.dumps(seen), flush=True)


def fuzz(seconds: float, first: int) -> int:
    """Rounds until the time is over. Returns the number of findings."""
    FINDINGS.mkdir(parents=True, exist_ok=True)
    start, seen, findings, number = time.monotonic(), Counter[str](), 0, first
    while (left := seconds - (time.monotonic() - start)) > 1:
        command = [sys.executable, __file__, "--round", str(number), "--seconds", str(left)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        said, errors = process.communicate()
        for line in said.splitlines():
            if line.startswith("{"):
                seen.update(json.loads(line))
        if process.returncode:
            findings += 1
            for suffix in ("epub", "txt"):
                kept = FINDINGS / f"current-{process.pid}.{suffix}"
                if kept.exists():
                    kept.rename(FINDINGS / f"finding-{number}.{suffix}")
            with (FINDINGS / f"finding-{number}.txt").open("a") as report:
                report.write(errors)
            print(f"round {number} ended with {process.returncode}: build/fuzz/finding-{number}.epub", flush=True)
            print("\n".join(errors.splitlines()[-4:]), flush=True)
        number += 1
    taken = time.monotonic() - start
    made = seen.pop("books", 0)
    print(f"{made} books in {taken:.0f} s, {made / taken:.1f} a second, {number - first} rounds, {findings} findings")
    print(", ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the first round's number (default: %(default)s)")
    parser.add_argument("--replay", nargs="+", type=Path, metavar="FILE", help="read these books again instead")
    parser.add_argument("--round", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.replay:
        found = {str(path): check(path.read_bytes()) for path in asked.replay}
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return int(any(found.values()))
    if asked.round is not None:
        run_round(asked.round, time.monotonic() + asked.seconds)
        return 0
    return int(fuzz(asked.seconds, asked.seed) > 0)


if __name__ == "__main__":
    sys.exit(main())
