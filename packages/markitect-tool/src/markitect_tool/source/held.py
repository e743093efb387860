"""How models hold the text of a source, which is nearly all that they hold: once, and as UTF-8.

As a `str`, a text with one curly quote takes two bytes for each character, one with an emoji four. Whoever uses a model
sees none of this: the fields here take a `str` and give a `str`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from markitect_tool.errors import ModelError

if TYPE_CHECKING:
    from types import MemberDescriptorType

_Class = TypeVar("_Class", bound=type)

SEGMENT_SEPARATOR = "\n\n"
_EXACT = "surrogatepass"  # half a surrogate pair comes back as it was
AS_JOINED: Final = cast(str, None)
"""Given to a `JoinedText`: what the segments say, joined."""


def held(name: str, field: Callable[[MemberDescriptorType], object]) -> Callable[[_Class], _Class]:
    """Class decorator, to be put before `record`: `field`, which is given the slot of `name`, takes its place."""

    def made(cls: _Class) -> _Class:
        setattr(cls, name, field(cls.__dict__[name]))
        return cls

    return made


class Utf8Text:
    """A text that is held as UTF-8 and decoded whenever it is asked for.

    ASCII takes no more as it is, and half a surrogate pair cannot be said in UTF-8: such texts stay what they are.
    """

    __slots__ = ("_slot",)

    def __init__(self, slot: MemberDescriptorType) -> None:
        self._slot = slot

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        text = self._slot.__get__(model)
        return text.decode() if type(text) is bytes else text

    def __set__(self, model: Any, text: str) -> None:
        self._slot.__set__(model, _encoded(_checked(text)))

    def hold(self, model: Any, utf8: bytes) -> None:
        """Take a text that is UTF-8 already."""
        self._slot.__set__(model, utf8)

    def utf8(self, model: Any, errors: str) -> bytes:
        """The text in UTF-8; `errors` is what becomes of half a surrogate pair, as for `str.encode`."""
        text: str | bytes = self._slot.__get__(model)
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

    __slots__ = ("_slot",)

    def __init__(self, slot: MemberDescriptorType) -> None:
        self._slot = slot

    def __get__(self, document: Any, owner: type | None = None) -> Any:
        if document is None:
            return self
        text = self._slot.__get__(document)
        if text is None:
            pieces = [segment.markdown_utf8(_EXACT) for segment in document.segments]
            text = SEGMENT_SEPARATOR.encode().join(pieces).decode("utf-8", _EXACT)
            self._slot.__set__(document, text)
        return text

    def __set__(self, document: Any, text: str) -> None:
        self._slot.__set__(document, text if text is AS_JOINED else _checked(text))

    def release(self, document: Any) -> None:
        """Let a text go that the segments say too."""
        text = self._slot.__get__(document)
        if text is not AS_JOINED and _is_joined(text, document.segments):
            self._slot.__set__(document, AS_JOINED)

    def given(self, document: Any) -> str:
        """What the field may be given to be as it is now, without joining anything."""
        return cast(str, self._slot.__get__(document))

    def utf8(self, document: Any) -> Iterator[bytes]:
        """The text in UTF-8, segment by segment, with a question mark for half a surrogate pair."""
        text = self._slot.__get__(document)
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
