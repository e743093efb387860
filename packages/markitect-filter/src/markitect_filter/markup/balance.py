"""End tags of structural XML that would end the wrong element, mended before libxml2's recovering parser reads them.

That parser takes any end tag for that of the innermost open element. One end tag too many in the metadata of a package
would end the metadata, the next one the package, and the manifest and spine would be gone.
"""

from __future__ import annotations

import re
from collections import Counter

_ATTRIBUTES = r"(?>(?:[^<>\"'/]++|\"[^\"<]*+\"|'[^'<]*+'|/(?!>)|[\"'])*)"  # a lone quote ends nothing
_TOKEN = re.compile(
    r"<!--(?:.*?-->|.*\Z)|<!\[CDATA\[(?:.*?\]\]>|.*\Z)|<\?(?:.*?\?>|.*\Z)"
    r"|</(?P<end>[^\s<>/\"'=]++)[^<>]*+>"
    rf"|<(?P<start>[^\s<>/!?\"'=]++){_ATTRIBUTES}(?P<empty>/?)>",
    re.DOTALL,
)


def balance_end_tags(text: str) -> str:
    """`text` with every end tag ending the element of its name, and the elements that are still open inside of it.

    An end tag that no open element has the name of is dropped, unless it follows on the text of the innermost element:
    then it is taken for a misspelled one. The end of the root only counts when no tag follows. Linear.
    """
    parts: list[str] = []
    open_names: list[str] = []
    counts: Counter[str] = Counter()
    position = 0
    started_at = -1  # where the innermost element's content starts, if it has had no tag so far
    root_ended: str | None = None

    def close() -> None:
        name = open_names.pop()
        counts[name] -= 1
        parts.append(f"</{name}>")

    for token in _TOKEN.finditer(text):
        start, end = token["start"], token["end"]
        if start is None and end is None:
            continue
        between = text[position : token.start()]
        if start is not None or between.strip():
            root_ended = None
        parts.append(between)
        position = token.end()
        if start is not None:
            parts.append(token[0])
            if not token["empty"]:
                open_names.append(start)
                counts[start] += 1
            started_at = -1 if token["empty"] else position
            continue
        if counts[end]:
            while open_names[-1] != end and len(open_names) > 1:
                close()
            if len(open_names) > 1:
                close()
            else:
                root_ended = token[0]
        elif len(open_names) > 1 and started_at >= 0 and text[started_at : token.start()].strip():
            close()
        started_at = -1
    return "".join([*parts, root_ended or "", text[position:]])
