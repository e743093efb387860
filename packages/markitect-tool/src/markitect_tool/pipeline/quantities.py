"""Sizes and times as people write them: `2GiB`, `500 MB`, `90`, `5m`, `1h`."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([A-Za-z]*)\s*")
_SIZES = {
    "": 1,
    "b": 1,
    **{unit + tail: 1024**power for power, unit in enumerate("kmgt", 1) for tail in ("", "ib")},
    **{unit + "b": 1000**power for power, unit in enumerate("kmgt", 1)},
}
_TIMES = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
NONE = "none"


def parse_size(text: str) -> int | None:
    """Bytes; None for "none". Raises `ValueError`."""
    value = _parse(text, _SIZES, "a size such as 512MiB, 2GiB or none")
    return None if value is None else int(value)


def parse_seconds(text: str) -> float | None:
    """Seconds; None for "none". Raises `ValueError`."""
    return _parse(text, _TIMES, "a time such as 90, 5m, 1h or none")


def show_size(size: int) -> str:
    """A size for people, in powers of 1024."""
    value, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{size:,} bytes" if units[0] == "bytes" else f"{value:.1f} {units[0]}"


def show_seconds(seconds: float) -> str:
    """A time for people: `0.4 s`, `12 s`, `1:02:03`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _parse(text: str, units: dict[str, int], wanted: str) -> float | None:
    if text.strip().lower() == NONE:
        return None
    match = _NUMBER.fullmatch(text)
    factor = units.get(match[2].lower()) if match else None
    if match is None or factor is None or float(match[1]) * factor <= 0:
        raise ValueError(f"{text!r} is not {wanted}")
    return float(match[1]) * factor
