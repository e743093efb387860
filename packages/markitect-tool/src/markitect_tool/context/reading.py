"""Bytes to plain JSON data: YAML and JSON files that somebody else wrote.

YAML is read by the rules of its version 1.2, so `no` and `12:30` stay text and dates are strings. Tags build nothing.
What a reader might take for something else is refused: a key given twice, several documents in one file, a value
that JSON cannot express. So is what would cost more than it weighs: deep nesting, and aliases that multiply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from markitect_tool.context.errors import MalformedDocumentError
from markitect_tool.errors import ModelError
from markitect_tool.serialization import plain_json

MAX_BYTES = 5_000_000  # of one file
MAX_DEPTH = 100  # of mappings and lists inside each other
MAX_NODES = 200_000  # of one document, each alias counted as what it stands for

LONGEST_NUMBER = 1000  # digits; Python cannot write what has some thousands

_HALVED = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F]")  # what may be an escape for half a surrogate pair
# Version 1.2 of YAML, core schema: the tag, what a value looks like, and the characters it may begin with.
_SCALARS = (
    ("null", r"(?:~|null|Null|NULL|)", "~nN"),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)", "tTfF"),
    ("int", r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)", "-+0123456789"),
    ("float", r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)", "-+.0123456789"),
)


def decode(data: bytes, name: str) -> str:
    """`data` as UTF-8 text without a byte order mark. Raises `MalformedDocumentError` naming the file."""
    if len(data) > MAX_BYTES:
        raise MalformedDocumentError(f"{name} has more than the limit of {MAX_BYTES:,} bytes.", source=name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MalformedDocumentError(f"{name} is not UTF-8 text.", source=name, line=line) from error


def parse_json(text: str, name: str) -> Any:
    """The data of a JSON text. Raises `MalformedDocumentError` naming the file and the line."""
    try:
        value = json.loads(text, object_pairs_hook=_unrepeated, parse_constant=_no_constant)
        _refuse_depth(value, name)
        _refuse_halves(text, value)
        return plain_json(value)
    except json.JSONDecodeError as error:
        raise MalformedDocumentError(f"{name} is not JSON: {error.msg}.", source=name, line=error.lineno) from error
    except RecursionError as error:
        raise MalformedDocumentError(f"{name} is nested too deeply.", source=name) from error
    except ValueError as error:  # a key given twice, NaN, a number of thousands of digits
        raise MalformedDocumentError(f"{name} cannot be read: {error}.", source=name) from error


def parse_yaml(text: str, name: str, *, first_line: int = 1) -> Any:
    """The data of a YAML text that begins on `first_line` of its file.

    Raises `MalformedDocumentError` naming the file and the line.
    """
    import yaml

    try:
        _measure(text, name)
        loader = _loader()(text)
        try:
            value = plain_json(loader.get_single_data())
            _refuse_halves(text, value)
            return value
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + first_line if mark is not None else None
        reason = error.problem or error.context or "no YAML"
        raise MalformedDocumentError(f"{name} cannot be read: {reason}.", source=name, line=line) from error
    except (yaml.YAMLError, ModelError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise MalformedDocumentError(f"{name} cannot be read: {reason}.", source=name) from error


def _refuse_halves(text: str, value: Any) -> None:
    """Raise `ValueError` for text that has no UTF-8 form; `text`, which has one, can only bring it by an escape."""
    if _HALVED.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError("it holds half of a surrogate pair") from error


def _refuse_depth(value: Any, name: str) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [child for item in level for child in _children(item)]
        if not level:
            return
    raise MalformedDocumentError(f"{name} is nested more than {MAX_DEPTH} deep.", source=name)


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _measure(text: str, name: str) -> None:
    """Refuse what is deep or grows, before anything is built from it. Aliases inside their own anchor are refused."""
    import yaml

    sizes: dict[str, int] = {}  # of each finished anchor
    open_nodes: list[tuple[str | None, int]] = []  # anchor, and the nodes before it
    total = 0
    for event in yaml.parse(text, Loader=_loader()):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            if anchor is not None:
                sizes[anchor] = total - before
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise MalformedDocumentError(
                    f"{name}: the alias *{event.anchor} leads nowhere or into itself.", source=name
                )
            total += sizes[event.anchor]
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, total))
            sizes.pop(event.anchor or "", None)
            total += 1
        elif isinstance(event, yaml.ScalarEvent):
            total += 1
            if event.anchor is not None:
                sizes[event.anchor] = 1
        if len(open_nodes) > MAX_DEPTH:
            raise MalformedDocumentError(f"{name} is nested more than {MAX_DEPTH} deep.", source=name)
        if total > MAX_NODES:
            raise MalformedDocumentError(f"{name} stands for more than {MAX_NODES:,} values.", source=name)


@cache
def _loader() -> Any:
    """The safe loader, with the fast parser where PyYAML has it, the types of YAML 1.2 and no repeated keys."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, _ in getattr(node, "value", ()):
                identity = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key)
                if identity in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key.value!r} stands there twice", key.start_mark
                    )
                seen.add(identity)
            return super().construct_mapping(node, deep=deep)

    for name, pattern, first in _SCALARS:
        whole = re.compile(f"^{pattern}$")
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", whole, [*first, *([""] if name == "null" else [])])
    Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile("^<<$"), ["<"])
    kept = {name: base.yaml_constructors[f"tag:yaml.org,2002:{name}"] for name in ("null", "str", "seq", "map")}
    kept |= {"bool": _boolean, "int": _integer, "float": _float}
    Loader.yaml_constructors = {f"tag:yaml.org,2002:{name}": make for name, make in kept.items()}
    Loader.yaml_constructors[None] = base.yaml_constructors[None]  # refuses every other tag
    return Loader


def _boolean(loader: Any, node: Any) -> bool:
    text = loader.construct_scalar(node).lower()
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return bool(text == "true")


def _integer(loader: Any, node: Any) -> int:
    text = loader.construct_scalar(node)
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"a number of more than {LONGEST_NUMBER} digits")
    if text[:2] in ("0o", "0x"):
        return int(text, 0)
    return int(text)  # decimal, whatever it begins with: 010 is ten


def _float(loader: Any, node: Any) -> float:
    return float(loader.construct_scalar(node))


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise ValueError(f"the key {key!r} stands there twice")
        data[key] = value
    return data


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
