"""How long a context of many local objects takes: to validate, and to look an object up by its id.

    python benchmarks/context.py [OBJECTS]

Makes a project of 1,000 objects (a third each of Markdown with front matter, YAML that points at a file with a digest,
and plain Markdown). Ends with status 1 when validation takes 2 s or more, or a look-up 1 ms or more.
"""

import hashlib
import statistics
import sys
import tempfile
import time
from pathlib import Path

from markitect_tool.context import OpenContext

VALIDATE_LIMIT = 2.0  # seconds
LOOKUP_LIMIT = 0.001  # seconds
RUNS = 5
TEXT = "Two lines ashore below force 6, four above. " * 40


def make(folder: Path, objects: int) -> None:
    """Write a project of so many objects into an empty folder."""
    (folder / "opencontext.yaml").write_text('opencontext: "1.0"\nid: bench\ncollections:\n  items: ./context/**\n')
    (folder / "data").mkdir()
    for number in range(objects):
        place = folder / "context" / f"group-{number % 20}"
        place.mkdir(parents=True, exist_ok=True)
        body = f"# Berth {number}\n\n{TEXT}\n"
        if number % 3 == 0:
            head = f"---\nid: berths.n{number}\ntype: berth\ntitle: Berth {number}\ntags: [quay, north]\n---\n\n"
            (place / f"berth-{number}.md").write_text(head + body)
        elif number % 3 == 1:
            (folder / "data" / f"{number}.md").write_text(body)
            uri = f"file://./data/{number}.md"
            digest = hashlib.sha256(body.encode()).hexdigest()
            lines = [
                "type: berth",
                f"content_uri: {uri}",
                "sources:",
                f"  - uri: {uri}",
                f"    digest: sha256:{digest}",
            ]
            (place / f"berth-{number}.yaml").write_text("\n".join(lines) + "\n")
        else:
            (place / f"berth-{number}.md").write_text(body)


def main() -> int:
    objects = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), objects)
        validations, bundles = [], []
        for _ in range(RUNS):
            start = time.perf_counter()
            project = OpenContext.load(name, offline=True)
            found = project.validate()
            validations.append(time.perf_counter() - start)
            assert len(project.objects) == objects
            assert not [entry for entry in found if entry.severity == "error"], found
            start = time.perf_counter()
            assert project.bundle().digest
            bundles.append(time.perf_counter() - start)
        ids = [entry.id for entry in project.objects]
        start = time.perf_counter()
        for id in ids:
            project.get(id)
        lookup = (time.perf_counter() - start) / len(ids)
    validate = statistics.median(validations)
    print(f"load and validate {objects:,} objects{validate * 1000:12.1f} ms   limit {VALIDATE_LIMIT * 1000:,.0f} ms")
    print(f"bundle and digest{statistics.median(bundles) * 1000:26.1f} ms")
    print(f"look-up by id{lookup * 1000:32.4f} ms   limit {LOOKUP_LIMIT * 1000:,.0f} ms")
    return int(validate >= VALIDATE_LIMIT or lookup >= LOOKUP_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
