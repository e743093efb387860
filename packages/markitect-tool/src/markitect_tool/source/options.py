"""Adapter options: checked against the descriptor's `option_schema`, completed with its defaults.

The schema is the small part of JSON Schema that options need::

    {"properties": {"encoding": {"type": "string", "enum": [...], "default": "utf-8", "description": "…"}},
     "additionalProperties": False}

Understood: `type` (one name or a list of `string`, `integer`, `number`, `boolean`, `array`, `object`,
`null`), `enum`, `minimum`, `maximum`, `pattern` (searched, as in JSON Schema), `items`, `default`.
`additionalProperties: true` permits free-form options; otherwise an undeclared one is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from markitect_tool.errors import InvalidOptionError, ModelError, OptionError, UnknownOptionError
from markitect_tool.serialization import plain_json

if TYPE_CHECKING:
    from markitect_tool.diagnostics import Diagnostic
    from markitect_tool.source.protocol import SourceAdapterDescriptor

Schema = Mapping[str, Any]

# The types that a schema may name, and what their values are in Python.
OPTION_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_NAMES = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a JSON object",
}
_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def resolve_options(
    descriptor: SourceAdapterDescriptor, options: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """`options` completed with the declared defaults, sorted by name, and what is wrong with them.

    Applying it to its own result changes nothing, so an adapter may call it on options that the API has
    already resolved. With a diagnostic in the list, the options must not be used.
    """
    declared, free_form = _declared(descriptor)
    resolved = {name: schema["default"] for name, schema in declared.items() if "default" in schema}
    problems: list[Diagnostic] = []
    for name in sorted(options, key=str):
        try:
            value = plain_json(options[name], f"option {name}")
            if name in declared:
                _check(name, value, declared[name], descriptor.id)
            elif not free_form:
                raise _unknown(name, declared, descriptor.id)
            resolved[name] = value
        except OptionError as error:
            problems.append(error.diagnostic)
        except ModelError as error:
            problems.append(InvalidOptionError(f"{error}.", option=name).diagnostic)
    return dict(sorted(resolved.items())), problems


def parse_assignments(
    descriptor: SourceAdapterDescriptor, assignments: Iterable[tuple[str, str]]
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Options from `(name, text)` pairs of a command line, each text read as its schema's type says.

    A name given several times makes a list where the schema takes an array; elsewhere the last one counts.
    Texts of undeclared names stay strings; `resolve_options` judges the names.
    """
    declared, _ = _declared(descriptor)
    options: dict[str, Any] = {}
    problems: list[Diagnostic] = []
    for name, text in assignments:
        schema = declared.get(name, {})
        try:
            value = _parse(name, text, schema, descriptor.id)
        except InvalidOptionError as error:
            problems.append(error.diagnostic)
            continue
        earlier = options.get(name)
        options[name] = [*earlier, *value] if isinstance(earlier, list) and isinstance(value, list) else value
    return options, problems


def describe_schema(schema: Schema) -> str:
    """What a value must be, in words: `one of "a", "b"`, `an integer from 1 to 6`."""
    if "enum" in schema:
        return "one of " + ", ".join(_show(value) for value in schema["enum"])
    kinds = option_types(schema)
    words = " or ".join(_NAMES.get(kind, kind) for kind in kinds) or "any value"
    if kinds == ["array"] and "items" in schema:
        words = f"a list, each {describe_schema(schema['items'])}"
    if "minimum" in schema:
        words += f" from {schema['minimum']}"
    if "maximum" in schema:
        words += f" up to {schema['maximum']}"
    if "pattern" in schema:
        words += f" matching {schema['pattern']}"
    return words


def _declared(descriptor: SourceAdapterDescriptor) -> tuple[Mapping[str, Schema], bool]:
    schema = descriptor.option_schema
    return schema.get("properties", {}), bool(schema.get("additionalProperties", False))


def option_types(schema: Schema) -> list[str]:
    """The types that `schema` names; none when it takes any value."""
    declared = schema.get("type", [])
    return [declared] if isinstance(declared, str) else list(declared)


def _check(name: str, value: Any, schema: Schema, adapter: str) -> None:
    kinds = option_types(schema)
    if kinds and not any(_is_a(value, kind) for kind in kinds):
        raise _invalid(name, value, schema, adapter)
    if "enum" in schema and not any(_same(value, allowed) for allowed in schema["enum"]):
        raise _invalid(name, value, schema, adapter)
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            raise _invalid(name, value, schema, adapter)
    if isinstance(value, str) and "pattern" in schema:
        import re

        if not re.search(schema["pattern"], value):
            raise _invalid(name, value, schema, adapter)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            _check(f"{name}[{index}]", item, schema["items"], adapter)


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):  # to Python a bool is an int, to JSON it is not
        return kind == "boolean"
    return isinstance(value, OPTION_TYPES.get(kind, ()))


def _same(value: Any, allowed: Any) -> bool:
    return bool(value == allowed) and isinstance(value, bool) == isinstance(allowed, bool)


def _parse(name: str, text: str, schema: Schema, adapter: str) -> Any:
    """`text` as the first of the schema's types that it can be."""
    import json

    kinds = option_types(schema)
    if not kinds:
        enum = schema.get("enum", [])
        return next((value for value in enum if str(value) == text), text)
    for kind in kinds:
        if kind == "boolean" and text.lower() in _WORDS:
            return _WORDS[text.lower()]
        if kind == "null" and text.lower() in ("", "null", "none"):
            return None
        if kind == "array" and not text.startswith("["):
            items = schema.get("items", {})
            return [_parse(name, part.strip(), items, adapter) for part in text.split(",")] if text else []
        if kind in ("integer", "number", "array", "object"):
            try:
                value = plain_json(json.loads(text))  # which refuses NaN and infinities, as Python's JSON does not
            except (ValueError, RecursionError):  # the latter for a hundred thousand brackets
                continue
            if _is_a(value, kind):
                return value
    if "string" in kinds:
        return text
    raise _invalid(name, text, schema, adapter)


def _invalid(name: str, value: Any, schema: Schema, adapter: str) -> InvalidOptionError:
    return InvalidOptionError(
        f"The option {name} of {adapter} does not take {_show(value)}.",
        hint=f"Give {describe_schema(schema)}.",
        option=name,
        value=value,
        adapter=adapter,
    )


def _unknown(name: str, declared: Mapping[str, Schema], adapter: str) -> UnknownOptionError:
    from difflib import get_close_matches

    known = sorted(declared)
    close = get_close_matches(str(name), known, n=1)
    hint = f"Did you mean {close[0]}? " if close else ""
    hint += f"Known options: {', '.join(known)}." if known else "This adapter has no options."
    return UnknownOptionError(
        f"The adapter {adapter} has no option {name}.",
        hint=hint,
        option=str(name),
        known=known,
        adapter=adapter,
    )


def _show(value: Any) -> str:
    from markitect_tool.canonical import canonical_json

    return canonical_json(value)
