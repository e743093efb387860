"""One rule for turning models into plain JSON data and back.

`to_dict` leaves out `None`, empty strings, lists and dictionaries, so a missing key means "empty".
`False`, `0` and the fields a class names in `KEPT_WHEN_EMPTY` (Markdown text) stay. Keys appear in the
order of the fields, strings are never changed, and nothing depends on locale, time or hash seed.
`from_dict` is the exact inverse: `Model.from_dict(model.to_dict()) == model` for every model.

To make that hold, an empty optional text is None, and free-form values (`metadata`, `details`, `options`)
are copied when a model is built: tuples become lists, and whatever JSON cannot carry unchanged (sets,
bytes, NaN, keys that are not strings) is refused at once instead of at the far end of a pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, ClassVar, Self

from markitect_tool.errors import ModelError
from markitect_tool.record import Record

# What JSON offers for the first word of a field's annotation.
_JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "bool": bool,
    "list": list,
    "dict": dict,
    "Mapping": dict,
}
_EXACT = frozenset({str, int, bool, type(None)})  # these very types are JSON as they are: a quick way past most values
_SCALARS = _EXACT | {float}
_TEXT = frozenset({str})
_FREE_FORM = ("list", "dict", "Mapping")  # how the annotations of fields begin that hold more


def plain_json(value: Any, where: str = "value") -> Any:
    """A deep copy of `value` made only of dict, list, str, int, float, bool and None.

    Raises `ModelError` naming `where` for anything that JSON would not give back unchanged.
    """
    kind = type(value)
    if kind in _EXACT:
        return value
    if kind is dict and _EXACT.issuperset(map(type, value.values())) and _TEXT.issuperset(map(type, value)):
        return value.copy()
    if kind is list and _EXACT.issuperset(map(type, value)):
        return value.copy()
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ModelError(f"{where} is {value}, which JSON cannot express")
        return float(value)
    try:
        if kind is dict or (kind is not list and isinstance(value, Mapping)):
            copy: dict[str, Any] = {}
            for key, item in value.items():
                if not isinstance(key, str):
                    raise ModelError(f"{where} has the key {key!r}; JSON keys are strings")
                copy[str(key)] = item if type(item) in _EXACT else plain_json(item, f"{where}.{key}")
            return copy
        if isinstance(value, (list, tuple)):
            return [
                item if type(item) in _EXACT else plain_json(item, f"{where}[{index}]")
                for index, item in enumerate(value)
            ]
    except RecursionError:
        raise ModelError(f"{where.partition('.')[0].partition('[')[0]} is nested too deeply for JSON") from None
    if isinstance(value, (str, int)):  # subclasses such as IntEnum or lxml's string results
        return str(value) if isinstance(value, str) else int(value)
    raise ModelError(f"{where} is a {kind.__name__}, which JSON cannot express")


class Model(Record):
    """Base of the records that are JSON data too: construction checks, `to_dict` and `from_dict`.

    Class variables say what a field's type alone does not:

    * `NESTED`: fields that hold one model, or a list of models, and which class that is
    * `REQUIRED`: fields without which `from_dict` refuses, and which are never empty strings
    * `KEPT_WHEN_EMPTY`: fields that are serialised even when empty
    * `MADE_WHEN_ASKED`: fields that hold less than they give (`markitect_tool.source.held`): not looked at when built
    * `UNSERIALISED`: fields that stay in this process (bytes, callables)
    """

    NESTED: ClassVar[Mapping[str, type[Model]]] = {}
    REQUIRED: ClassVar[tuple[str, ...]] = ()
    KEPT_WHEN_EMPTY: ClassVar[frozenset[str]] = frozenset()
    MADE_WHEN_ASKED: ClassVar[frozenset[str]] = frozenset()
    UNSERIALISED: ClassVar[frozenset[str]] = frozenset()

    _LISTS: ClassVar[frozenset[str]] = frozenset()  # fields of NESTED that hold a list of models
    # The fields that are looked at when a model is built: texts and numbers, for which a glance does as a rule, then
    # JSON data, then all others.
    _SIMPLE: ClassVar[tuple[str, ...]] = ()
    _SIMPLE_VALUES: ClassVar[Callable[[Mapping[str, Any]], tuple[Any, ...]]]
    _NEEDED: ClassVar[int] = 0  # so many of them, the first ones, may not be empty
    _FREE_FORM: ClassVar[tuple[tuple[str, str], ...]] = ()  # the name, and how a complaint says it
    _OTHER: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._LISTS = frozenset(name for name in cls.NESTED if cls.__annotations__[name].startswith("list["))
        checked = [name for name in cls._FIELDS if name not in cls.MADE_WHEN_ASKED]
        cls._OTHER = tuple(name for name in checked if name in cls.NESTED or name in cls.UNSERIALISED)
        data = [name for name in checked if name not in cls._OTHER]
        free_form = [name for name in data if cls.__annotations__.get(name, "").startswith(_FREE_FORM)]
        cls._FREE_FORM = tuple((name, f"{cls.__name__}.{name}") for name in free_form)
        simple = [name for name in data if name not in free_form]
        needed = [name for name in simple if name in cls.REQUIRED and name not in cls.KEPT_WHEN_EMPTY]
        cls._SIMPLE = names = tuple(sorted(simple, key=lambda name: name not in needed))
        cls._SIMPLE_VALUES = itemgetter(*names) if len(names) > 1 else lambda state: tuple(map(state.get, names))
        cls._NEEDED = len(needed)

    def __post_init__(self) -> None:
        cls = type(self)
        state = self.__dict__
        for name in cls.MADE_WHEN_ASKED:
            getattr(cls, name).__set__(self, state[name])
        values = cls._SIMPLE_VALUES(state)
        if not _SCALARS.issuperset(map(type, values)) or "" in values or None in values[: cls._NEEDED]:
            for name in cls._SIMPLE:
                self._settle(name)
        for name, called in cls._FREE_FORM:
            value = state[name]
            kind = type(value)
            if kind is dict or kind is list:
                state[name] = plain_json(value, called) if value else value.copy()
            else:
                self._settle(name)
        for name in cls._OTHER:
            self._settle(name)

    def _settle(self, name: str) -> None:
        """Check the field `name`, and make its value this model's own."""
        cls = type(self)
        value = getattr(self, name)
        own: Any = value
        if value is None or (type(value) is str and not value):
            if name in cls.REQUIRED and name not in cls.KEPT_WHEN_EMPTY:
                raise ModelError(f"{cls.__name__}.{name} is required and must not be empty")
            if name in cls._LISTS:
                own = self._own_models(name, value)
            elif name not in cls.REQUIRED:
                own = None
        elif name in cls.NESTED:
            own = self._own_models(name, value)
        elif name not in cls.UNSERIALISED and isinstance(value, (dict, list, tuple, Mapping)):
            own = plain_json(value, f"{cls.__name__}.{name}")
        if own is not value:
            self.__dict__[name] = own

    def _own_models(self, name: str, value: Any) -> Any:
        """`value` for a field of `NESTED`; a list is copied. Raises `ModelError` for anything but such models."""
        model = self.NESTED[name]
        if name not in self._LISTS:
            if value is None or isinstance(value, model):
                return value
        elif isinstance(value, (list, tuple)) and (
            {model}.issuperset(map(type, value)) or all(isinstance(item, model) for item in value)
        ):
            return list(value)
        wanted = f"a list of {model.__name__}" if name in self._LISTS else f"a {model.__name__}"
        raise ModelError(f"{type(self).__name__}.{name} is {wanted}, not {value!r:.80}")

    def to_dict(self) -> dict[str, Any]:
        """This model as JSON data, by the rule at the top of this module."""
        return self._data(lambda items: [item.to_dict() for item in items])

    def to_shallow_dict(self) -> dict[str, Any]:
        """As `to_dict`, but lists of models hold the models themselves, for whoever takes one after the other."""
        return self._data(list)

    def _data(self, listed: Callable[[list[Model]], list[Any]]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name in self._FIELDS:
            if name in self.UNSERIALISED:
                continue
            value = getattr(self, name)
            if isinstance(value, Model):
                value = value._data(listed)
            elif isinstance(value, (list, dict)) and value:
                value = listed(value) if isinstance(value, list) and name in self._LISTS else plain_json(value)
            if value is None or (
                not value and isinstance(value, (str, list, dict)) and name not in self.KEPT_WHEN_EMPTY
            ):
                continue
            data[name] = value
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The model that `data` describes. A key whose value is null counts as missing.

        Raises `ModelError` when a required key is missing, a key is unknown or a value is not what the
        field takes.
        """
        if not isinstance(data, Mapping):
            raise ModelError(f"{cls.__name__} is described by a mapping, not by a {type(data).__name__}")
        known = [name for name in cls._FIELDS if name not in cls.UNSERIALISED]
        unknown = sorted(map(repr, set(data) - set(known)))
        if unknown:
            raise ModelError(f"{cls.__name__} has no field {', '.join(unknown)}")
        missing = [name for name in cls.REQUIRED if data.get(name) is None]
        if missing:
            raise ModelError(f"{cls.__name__} needs {', '.join(map(repr, missing))}")
        return cls(**{name: cls._revive(name, data[name]) for name in known if data.get(name) is not None})

    @classmethod
    def _revive(cls, name: str, value: Any) -> Any:
        model = cls.NESTED.get(name)
        if model is not None and name not in cls._LISTS:
            return model.from_dict(value)
        cls._check_type(name, value)
        return value if model is None else [model.from_dict(item) for item in value]

    @classmethod
    def _check_type(cls, name: str, value: Any) -> None:
        """Raise `ModelError` unless `value` is what the annotation of the field `name` says."""
        annotation = cls.__annotations__[name]
        declared = annotation.partition("[")[0].partition(" ")[0]
        fits = isinstance(value, _JSON_TYPES.get(declared, object))
        if isinstance(value, bool):  # to Python a bool is an int, to JSON it is not
            fits = declared == "bool" or declared not in _JSON_TYPES
        if not fits:
            raise ModelError(f"{cls.__name__}.{name} takes {declared}, not {type(value).__name__}")
        if annotation in ("list[str]", "dict[str, str]"):
            for item in value.values() if declared == "dict" else value:
                if not isinstance(item, str):
                    raise ModelError(f"{cls.__name__}.{name} takes {annotation}, but holds a {type(item).__name__}")
