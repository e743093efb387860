"""How models hold the text of a source, which is nearly all that they hold: once, and as UTF-8.

As a `str`, a text with one curly quote takes two bytes for each character, one with an emoji four. Whoever uses a model
sees none of this: the fields here take a `str` and give a `str`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar, cast

from markitect_tool.errors import ModelError

_Class = TypeVar("_Class", bound=type)

SEGMENT_SEPARATOR = "\n\n"
_EXACT = "surrogatepass"  # half a surrogate pair comes back as it was
AS_JOINED: Final = cast(str, None)
"""Given to a `JoinedText`: what the segments say, joined."""


def held(name: str, field: Callable[[str], object]) -> Callable[[_Class], _Class]:
    """Class decorator: the field `name` is what `field`, which is given the name, makes of the value in `__dict__`.
    The class has to name it in `MADE_WHEN_ASKED`."""

    def made(cls: _Class) -> _Class:
        setattr(cls, name, field(name))
        return cls

    return made


class Utf8Text:
    """A text that is held as UTF-8 and decoded whenever it is asked for.

    ASCII takes no more as it is, and half a surrogate pair cannot be said in UTF-8: such texts stay what they are.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        text = model.__dict__[self._name]
        return text.decode() if type(text) is bytes else text

    def __set__(self, model: Any, text: str) -> None:
        model.__dict__[self._name] = _encoded(_checked(text))

    def hold(self, model: Any, utf8: bytes) -> None:
        """Take a text that is UTF-8 already."""
        model.__dict__[self._name] = utf8

    def utf8(self, model: Any, errors: str) -> bytes:
        """The text in UTF-8; `errors` is what becomes of half a surrogate pair, as for `str.encode`."""
        text: str | bytes = model.__dict__[self._name]
        return text if isinstance(text, bytes) else text.encode("utf-8", errors)


def _checked(text: str) -> str:
    """Raises `ModelError` for anything but a text."""
    if not isinstance(text, str):
        raise ModelError(f"markdown takes str, not {type(text).__name__}")
    return text


def _encoded(text: str) -> str | bytes:
    if text.isascii():
        return text
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text


class JoinedText:
    """The text of a document: that of its `segments`, joined when it is asked for and kept from then on, since who asks
    may ask for every link in it. Any other text is held as given."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, document: Any, owner: type | None = None) -> Any:
        if document is None:
            return self
        text = document.__dict__[self._name]
        if text is None:
            pieces = [segment.markdown_utf8(_EXACT) for segment in document.segments]
            text = SEGMENT_SEPARATOR.encode().join(pieces).decode("utf-8", _EXACT)
            document.__dict__[self._name] = text
        return text

    def __set__(self, document: Any, text: str) -> None:
        document.__dict__[self._name] = text if text is AS_JOINED else _checked(text)

    def release(self, document: Any) -> None:
        """Let a text go that the segments say too."""
        text = document.__dict__[self._name]
        if text is not AS_JOINED and _is_joined(text, document.segments):
            document.__dict__[self._name] = AS_JOINED

    def given(self, document: Any) -> str:
        """What the field may be given to be as it is now, without joining anything."""
        return cast(str, document.__dict__[self._name])

    def utf8(self, document: Any) -> Iterator[bytes]:
        """The text in UTF-8, segment by segment, with a question mark for half a surrogate pair."""
        text = document.__dict__[self._name]
        if text is not AS_JOINED:
            yield text.encode("utf-8", "replace")
            return
        for number, segment in enumerate(document.segments):
            if number:
                yield SEGMENT_SEPARATOR.encode()
            yield segment.markdown_utf8()


def _is_joined(text: str, segments: list[Any]) -> bool:
    """Does `text` consist of the segments, joined? One after the other, so that no second text is made."""
    offset = 0
    for number, segment in enumerate(segments):
        piece = segment.markdown
        if number:
            if not text.startswith(SEGMENT_SEPARATOR, offset):
                return False
            offset += len(SEGMENT_SEPARATOR)
        if not text.startswith(piece, offset):
            return False
        offset += len(piece)
    return offset == len(text)
