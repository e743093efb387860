"""Write the tables of options into docs/epub.md from the adapter's option schema; `--check` only compares."""

import re
import sys
from pathlib import Path

from markitect_filter.epub3.options import OPTION_SCHEMA

DOCUMENT = Path(__file__).parent.parent / "docs/epub.md"
OPTIONS = "| option | default | meaning |\n| --- | --- | --- |\n"
LIMITS = "| option | default | unit | what it bounds |\n| --- | --- | --- | --- |\n"


def tables():
    """The rows of both tables."""
    options, limits = [], []
    for name, schema in OPTION_SCHEMA["properties"].items():
        default = schema.get("default")
        shown = str(default).lower() if isinstance(default, bool) else default
        limit = re.fullmatch(r"Limit in (\w+): (.*)\.", schema["description"])
        if limit:
            limits.append(f"| `{name}` | {shown:,} | {limit[1]} | {limit[2]} |\n")
        else:
            options.append(f"| `{name}` | {'' if shown is None else f'`{shown}`'} | {schema['description']} |\n")
    return "".join(options), "".join(limits)


def written(text):
    """The document with both tables as the schema has them."""
    for head, rows in zip((OPTIONS, LIMITS), tables(), strict=True):
        before, found, after = text.partition(head)
        if not found:
            sys.exit(f"{DOCUMENT.name} has no table that starts with: {head.splitlines()[0]}")
        text = before + head + rows + re.sub(r"\A(?:\|.*\n)*", "", after)
    return text


def main():
    text = DOCUMENT.read_text(encoding="utf-8")
    new = written(text)
    if "--check" in sys.argv[1:]:
        sys.exit(f"{DOCUMENT.name} is out of date: run make docs" if new != text else 0)
    DOCUMENT.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
