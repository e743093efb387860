"""Write `docs/diagnostics.md` from the catalogue of codes.

python scripts/diagnostics_reference.py            # write the file
python scripts/diagnostics_reference.py --check    # end with status 1 if it is not up to date
"""

import sys
from pathlib import Path

from markitect_tool.diagnostics import CATALOGUE, SEVERITIES

REFERENCE = Path(__file__).parent.parent / "docs/diagnostics.md"
INTRODUCTION = """\
# Diagnostics

Everything that Markitect has to say about a source is one of these codes. An **error** makes the result invalid: there
is no document, and `mkt` ends with status 1. A **warning** says that something may be lost or wrong, an **info** that
something was decided; neither makes a result invalid.

A diagnostic in JSON has a `code`, a `message` and a `severity`, and where they apply the `source`, the `path` of the
member inside it, a `line`, a `hint` (what to do) and `details` (facts for programs: names, numbers). One diagnostic may
stand for many findings of its kind: then `details.count` says how many. `mkt` shows errors and warnings; `--verbose`
adds the infos. A code has the severity below unless a diagnostic says otherwise, as `source.encrypted` does when only
part of a book is.

This page is made by `make docs` from `markitect_tool/diagnostics.py`; change it there.
"""


def reference() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for severity in SEVERITIES:
        rows = [
            f"| `{code}` | {cell(info.summary)} | {cell(info.remedy)} |"
            for code, info in sorted(CATALOGUE.items())
            if info.severity == severity
        ]
        parts.append(
            "\n".join(
                [f"## {severity.capitalize()}\n", "| code | meaning | what to do |", "| --- | --- | --- |", *rows, ""]
            )
        )
    return "\n".join(parts)


def cell(text: str) -> str:
    """`text` where a bar would end the cell of a table."""
    return text.replace("|", "\\|")


def main() -> int:
    current = REFERENCE.read_text(encoding="utf-8") if REFERENCE.exists() else ""
    if current == reference():
        return 0
    if "--check" in sys.argv[1:]:
        print(f"{REFERENCE.name} does not match the catalogue: run `make docs` and commit it", file=sys.stderr)
        return 1
    REFERENCE.write_text(reference(), encoding="utf-8", newline="\n")
    print(f"wrote {REFERENCE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
