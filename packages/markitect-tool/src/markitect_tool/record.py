"""Dataclasses with slots whose classes cost little to create.

`@dataclass` writes the methods of each class as source text and compiles it: close to a millisecond for a class, which
a command that starts anew for each book pays some sixty times. Here the methods are written once, in `Struct` and in
`Record`, which is frozen, and walk over the fields. All else is as with dataclasses: `fields`, `replace`, `asdict`
and `match` work, and type checkers know the parameters of `__init__`.

An object takes about twice as long to create. Where there is one for each paragraph, a named tuple is better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, TypeVar, dataclass_transform

_Class = TypeVar("_Class", bound="type[Struct]")

_write = object.__setattr__


@dataclass_transform(field_specifiers=(field,))
def struct(*, kw_only: bool = False) -> Callable[[_Class], _Class]:
    """Class decorator: a subclass of `Struct` whose annotations are its fields. It needs a docstring of its own."""

    def made(cls: _Class) -> _Class:
        finished: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
        taken = [field for field in fields(finished) if field.init]
        finished._PARAMETERS = tuple((field.name, field.default, field.default_factory) for field in taken)
        finished._BY_POSITION = tuple(field.name for field in taken if not field.kw_only)
        finished._COMPARED = tuple(field.name for field in fields(finished) if field.compare)
        return finished  # type: ignore[no-any-return]

    return made


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(*, kw_only: bool = False) -> Callable[[_Class], _Class]:
    """The same for subclasses of `Record`."""
    return struct(kw_only=kw_only)


class Struct:
    """What structs and records have in common: they are equal by value, and show their fields."""

    __slots__: tuple[str, ...] = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    _PARAMETERS: ClassVar[tuple[tuple[str, Any, Any], ...]]  # name, default, factory of defaults
    _BY_POSITION: ClassVar[tuple[str, ...]]
    _COMPARED: ClassVar[tuple[str, ...]]

    def __init__(self, *values: Any, **named: Any) -> None:
        """The fields in their order or by name. Raises `TypeError` as any function does."""
        cls = type(self)
        if values:
            for name, value in zip(cls._BY_POSITION, values, strict=False):
                if name in named:
                    raise TypeError(f"{cls.__name__} got {name!r} twice")
                named[name] = value
            if values[len(cls._BY_POSITION) :]:
                raise TypeError(f"{cls.__name__} takes {len(cls._BY_POSITION)} values by position, not {len(values)}")
        known = 0
        for name, default, factory in cls._PARAMETERS:
            if name in named:
                value = named[name]
                known += 1
            elif factory is not MISSING:
                value = factory()
            elif default is MISSING:
                raise TypeError(f"{cls.__name__} needs {name!r}")
            else:
                value = default
            _write(self, name, value)
        if named and known < len(named):
            unknown = named.keys() - {name for name, _, _ in cls._PARAMETERS}
            raise TypeError(f"{cls.__name__} has no field {', '.join(map(repr, sorted(unknown)))}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """For checks; see `dataclasses`."""

    def __eq__(self, other: object) -> bool:
        cls = type(self)
        if type(other) is not cls:
            return NotImplemented
        compared = all_of(cls._COMPARED)
        return bool(compared(self) == compared(other))

    def __repr__(self) -> str:
        shown = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"


class Record(Struct):
    """A struct that never changes, and is hashable if its values are."""

    __slots__: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __hash__(self) -> int:
        return hash(all_of(self._COMPARED)(self))

    def __getstate__(self) -> list[Any]:
        return [getattr(self, name) for name in self.__slots__]

    def __setstate__(self, state: list[Any]) -> None:
        for name, value in zip(self.__slots__, state, strict=True):
            _write(self, name, value)


@cache
def all_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Several attributes of an object at once: asking for them one by one takes several times as long."""
    return attrgetter(*names) if len(names) > 1 else lambda model: tuple(getattr(model, name) for name in names)
