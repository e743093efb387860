"""YAML front matter, with the keys that Obsidian, Hugo, Quarto and pandoc know.

Every text is quoted, which reads the same in YAML 1.1 and 1.2: `"no"`, `"1984"` and `"1e3"` stay texts.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping
from typing import Any

from markitect_tool.source.model import NormalizedMarkdownDocument, SourceMetadata

_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T.*)?")
#: What JSON leaves as it is and YAML does not (YAML 1.2, 5.1): controls, separators, byte-order marks, half pairs.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


class Date(str):
    """A date that is written without quotes, so that readers take it for one."""

    __slots__ = ()


def yaml_front_matter(entries: Mapping[str, Any]) -> str:
    """A block of front matter with an empty line behind it; entries without a value are left out."""
    return f"---\n{yaml_mapping(entries)}---\n\n"


def yaml_mapping(entries: Mapping[str, Any]) -> str:
    """`key: value` lines. Values are texts, numbers, truth values and lists of texts."""
    lines = []
    for key, value in entries.items():
        if value is None or value == [] or value == "":
            continue
        if isinstance(value, list):
            lines += [f"{key}:", *(f"  - {yaml_scalar(item)}" for item in value)]
        else:
            lines.append(f"{key}: {yaml_scalar(value)}")
    return "".join(f"{line}\n" for line in lines)


def yaml_scalar(value: Any) -> str:
    """A text in double quotes, a number or truth value as YAML writes it."""
    if isinstance(value, Date):
        return str(value)
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}" if not _is_half(match[0]) else "\ufffd", quoted)


def _is_half(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"


def document_entries(document: NormalizedMarkdownDocument) -> dict[str, Any]:
    """What front matter says about a whole document."""
    metadata = document.metadata
    return {
        "title": metadata.title,
        "author": list(metadata.creators),
        "lang": metadata.language,
        **_date(metadata),
        "publisher": metadata.publisher,
        "identifiers": [f"{scheme}: {value}" for scheme, value in metadata.identifiers.items()],
        "source": metadata.source_url or document.asset.uri,
        "rights": metadata.rights,
    }


def _date(metadata: SourceMetadata) -> dict[str, Any]:
    """`date` where the source gives one to the day; what is less stays a text, since Hugo would refuse it."""
    written = metadata.publication_date
    if written is None:
        return {}
    if day := _DAY.fullmatch(written.strip()):
        try:
            return {"date": Date(datetime.date.fromisoformat(day[1]).isoformat())}
        except ValueError:  # the 30th of February
            pass
    return {"published": written}
