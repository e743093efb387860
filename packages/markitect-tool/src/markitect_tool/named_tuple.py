"""`typing.NamedTuple` whose classes cost little to create: 0.02 instead of 0.2 milliseconds.

For values of which there are many, or that are compared and hashed much; a `markitect_tool.record.Record` for all
others. Values by position take what those of `typing.NamedTuple` take, by name three times that until there are many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markitect_tool.record import annotations_of

__all__ = ["NamedTuple"]

_MANY = 200  # tuples of a class that were not given by position alone: more repay a constructor of its own

_tuple = tuple.__new__

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import _tuplegetter, namedtuple  # the first is how the second reads a field: in C

    class _Positions(type):
        """Makes a class whose annotations name the positions of a tuple."""

        def __new__(meta, name, bases, namespace):
            names = tuple(annotations_of(name, namespace))
            if names:
                namespace["_DEFAULTS"] = tuple(namespace[key] for key in names if key in namespace)
                namespace.update((key, _tuplegetter(position, None)) for position, key in enumerate(names))
                namespace["_fields"] = namespace["__match_args__"] = names
                namespace["_COUNT"] = len(names)
                namespace["_made"] = [0]
            namespace["__slots__"] = ()
            return super().__new__(meta, name, bases, namespace)

    class NamedTuple(tuple, metaclass=_Positions):
        """As `typing.NamedTuple`."""

        def __new__(cls, *values, **named):
            """The fields in their order or by name. Raises `TypeError` as any function does."""
            if named or len(values) != cls._COUNT:
                values = _in_order(cls, values, named)
                cls._made[0] += 1
                if cls._made[0] == _MANY:
                    cls.__new__ = namedtuple(cls.__name__, cls._fields, defaults=cls._DEFAULTS).__new__
            return _tuple(cls, values)

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            shown = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({', '.join(shown)})"

        def _replace(self, /, **changes):
            """A copy with other values. Raises `TypeError` for a field that is not there."""
            found = [changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)]
            return type(self)(*found, **changes)

    def _in_order(cls, values, named):
        """The values of all fields, of which some are given by name or left to their defaults."""
        missing = cls._COUNT - len(values)
        if missing < 0:
            raise TypeError(f"{cls.__name__} takes {cls._COUNT} values, not {len(values)}")
        if not named and missing <= len(cls._DEFAULTS):
            return values + cls._DEFAULTS[-missing:]
        found = list(values)
        optional = cls._COUNT - len(cls._DEFAULTS)
        for position in range(len(values), cls._COUNT):
            name = cls._fields[position]
            if name in named:
                found.append(named.pop(name))
            elif position < optional:
                raise TypeError(f"{cls.__name__} needs {name!r}")
            else:
                found.append(cls._DEFAULTS[position - optional])
        for name in named:
            told = "got {!r} twice" if name in cls._fields else "has no field {!r}"
            raise TypeError(f"{cls.__name__} {told.format(name)}")
        return found
