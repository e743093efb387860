"""Dataclasses whose classes cost little to create.

`@dataclass` writes the methods of each class as source text and compiles it: close to a millisecond for a class, which
a command that starts anew for each book pays some sixty times; importing `dataclasses` takes another. Here the methods
are written once, in `Struct` and in `Record`, which is frozen, and walk over the fields. All else is as with
dataclasses: `dataclasses.fields`, `replace`, `asdict` and `match` work, and type checkers know the parameters of
`__init__`.

    class Point(Record):
        x: int
        y: int = 0
        tags: list[str] = field(default_factory=list)

Objects cost less too, where they are frozen: the fields are in `__dict__`, which takes them all at once.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import Field, field, replace
else:

    def field(**given):
        """As `dataclasses.field`: `default`, `default_factory`, `init`, `repr`, `compare`, `kw_only`, `metadata`."""
        return FieldInfo(**given)

    def replace(record, /, **changes):
        """As `dataclasses.replace`: a copy with other values. Raises `TypeError` for a field that is not there."""
        return record.__replace__(**changes)


__all__ = ["FieldInfo", "Record", "Struct", "annotations_of", "field", "fields_of", "replace"]

_MISSING: Final = object()
_NOTHING: Final[Mapping[Any, Any]] = {}
_LATE: Final = frozenset({"__annotate__", "__annotate_func__"})  # where Python 3.14 keeps those that are no text


class FieldInfo:
    """What a class says of one of its fields; the names are those of `dataclasses.field`."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "metadata", "repr", "type")

    def __init__(
        self,
        default: Any = _MISSING,
        *,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
        kw_only: bool | None = None,
        metadata: Mapping[Any, Any] = _NOTHING,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.kw_only = kw_only
        self.metadata = metadata
        self.type: Any = None


def fields_of(cls: type[_Base]) -> Mapping[str, FieldInfo]:
    """The fields of a struct or record, by name; unlike `dataclasses.fields` it imports nothing."""
    return cls._FIELDS


def annotations_of(name: str, namespace: Mapping[str, Any]) -> dict[str, str]:
    """The annotations of a class that is being made, but for those of class variables."""
    found: dict[str, str] = namespace.get("__annotations__", {})
    if not all(type(annotation) is str for annotation in found.values()) or not _LATE.isdisjoint(namespace):
        raise TypeError(f"The module of {name} needs `from __future__ import annotations`")
    return {key: annotation for key, annotation in found.items() if not annotation.startswith("ClassVar")}


class _Fields(type):
    """Makes a class whose annotations are its fields."""

    _FIELDS: Mapping[str, FieldInfo]

    def __new__(
        meta, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, kw_only: bool = False
    ) -> _Fields:
        found = {key: value for base in reversed(bases) for key, value in getattr(base, "_FIELDS", {}).items()}
        for key, annotation in annotations_of(name, namespace).items():
            given = namespace.pop(key, _MISSING)
            if type(given).__name__ == "Field":  # of `dataclasses`, which is not imported to ask
                raise TypeError(f"{name}.{key} needs `field` of markitect_tool.record")
            entry = given if type(given) is FieldInfo else FieldInfo(given)
            entry.type = annotation
            if entry.kw_only is None:
                entry.kw_only = kw_only
            found[key] = entry
        namespace["_FIELDS"] = found
        taken = [(key, entry) for key, entry in found.items() if entry.init]
        namespace["_TAKEN"] = frozenset(key for key, _ in taken)
        namespace["_DEFAULTS"] = {key: entry.default for key, entry in taken if entry.default is not _MISSING}
        namespace["_FACTORIES"] = tuple(
            (key, entry.default_factory) for key, entry in taken if entry.default_factory is not _MISSING
        )
        namespace["_COMPARED"] = tuple(key for key, entry in found.items() if entry.compare)
        by_position = tuple(key for key, entry in taken if not entry.kw_only)
        namespace["_BY_POSITION"] = namespace["__match_args__"] = by_position
        return super().__new__(meta, name, bases, namespace)


class _DataclassFields:
    """`__dataclass_fields__`, made when the `dataclasses` module asks for it."""

    def __get__(self, instance: object, owner: type[_Base]) -> dict[str, Field[Any]]:
        found: dict[str, Field[Any]] = _as_dataclass(owner).__dataclass_fields__
        return found


def _init(self: Any, *values: Any, **named: Any) -> None:
    """The fields in their order or by name. Raises `TypeError` as any function does."""
    cls: Any = type(self)
    state: dict[str, Any] = self.__dict__
    state.update(cls._DEFAULTS)
    for name, factory in cls._FACTORIES:
        if name not in named:
            state[name] = factory()
    if values:
        by_position = dict(zip(cls._BY_POSITION, values, strict=False))
        if len(values) > len(by_position) or not by_position.keys().isdisjoint(named):
            raise _misfit(cls, values, named)
        state.update(by_position)
    state.update(named)
    if state.keys() != cls._TAKEN:
        raise _misfit(cls, values, named)
    self.__post_init__()


def _misfit(cls: Any, values: tuple[Any, ...], named: dict[str, Any]) -> TypeError:
    """What is wrong with the arguments of a constructor."""
    by_position = cls._BY_POSITION
    if len(values) > len(by_position):
        return TypeError(f"{cls.__name__} takes {len(by_position)} values by position, not {len(values)}")
    for name in by_position[: len(values)]:
        if name in named:
            return TypeError(f"{cls.__name__} got {name!r} twice")
    if unknown := named.keys() - cls._TAKEN:
        return TypeError(f"{cls.__name__} has no field {', '.join(map(repr, sorted(unknown)))}")
    given = {*by_position[: len(values)], *named, *cls._DEFAULTS, *dict(cls._FACTORIES)}
    return TypeError(f"{cls.__name__} needs {', '.join(map(repr, sorted(cls._TAKEN - given)))}")


@cache
def _as_dataclass(cls: Any) -> Any:
    """A dataclass with the fields of `cls`."""
    from dataclasses import MISSING, field, make_dataclass

    def described(entry: FieldInfo) -> Any:
        return field(
            default=MISSING if entry.default is _MISSING else entry.default,
            default_factory=MISSING if entry.default_factory is _MISSING else entry.default_factory,
            init=entry.init,
            repr=entry.repr,
            compare=entry.compare,
            kw_only=bool(entry.kw_only),
            metadata=entry.metadata,
        )

    return make_dataclass(
        cls.__name__, [(name, entry.type, described(entry)) for name, entry in cls._FIELDS.items()], init=False
    )


class _Base(metaclass=_Fields):
    """What structs and records have in common: they are equal by value, and show their fields."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __dataclass_fields__ = _DataclassFields()

    _FIELDS: ClassVar[Mapping[str, FieldInfo]]
    _TAKEN: ClassVar[frozenset[str]]  # by the constructor
    _DEFAULTS: ClassVar[dict[str, Any]]
    _FACTORIES: ClassVar[tuple[tuple[str, Callable[[], Any]], ...]]
    _BY_POSITION: ClassVar[tuple[str, ...]]
    _COMPARED: ClassVar[tuple[str, ...]]

    if not TYPE_CHECKING:
        __init__ = _init

    def __post_init__(self) -> None:
        """For checks; see `dataclasses`."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Base) or type(other) is not type(self):
            return NotImplemented
        return self._compared() == other._compared()

    def _compared(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self._COMPARED])

    def __replace__(self, /, **changes: Any) -> Any:  # for `copy.replace` of Python 3.13
        kept = {name: getattr(self, name) for name in self._TAKEN if name not in changes}
        return type(self)(**kept, **changes)

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name, entry in self._FIELDS.items() if entry.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"


@dataclass_transform(field_specifiers=(field,))
class Struct(_Base):
    """A class whose annotations are its fields; with `kw_only=True` after the base they are given by name only."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(_Base):
    """A struct that never changes, and is hashable if its values are."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise _frozen(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise _frozen(f"cannot delete field {name!r}")

    def __hash__(self) -> int:
        return hash(self._compared())


def _frozen(message: str) -> AttributeError:
    from dataclasses import FrozenInstanceError

    return FrozenInstanceError(message)
