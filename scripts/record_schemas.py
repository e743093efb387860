"""Write the JSON Schemas of the pipeline's records, a file for each in `docs/schemas`.

python scripts/record_schemas.py            # write the files
python scripts/record_schemas.py --check    # end with status 1 if one is not up to date
"""

import json
import sys
from pathlib import Path

from markitect_tool.pipeline.records import RECORDS, record_schema

FOLDER = Path(__file__).parent.parent / "docs/schemas"


def schemas() -> dict[Path, str]:
    """What belongs into each file."""
    return {FOLDER / f"{name}.json": json.dumps(record_schema(name), indent=2) + "\n" for name in RECORDS}


def main() -> int:
    stale = {path: text for path, text in schemas().items() if not path.exists() or path.read_text("utf-8") != text}
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.name} does not match the record: run `make docs` and commit it", file=sys.stderr)
        return bool(stale)
    FOLDER.mkdir(exist_ok=True)
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
