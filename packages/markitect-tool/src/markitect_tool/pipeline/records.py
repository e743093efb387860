"""What travels between the stages of a pipeline: raw `ParserInput`, parsed `DocumentRecord`, and what both carry.

Frozen Pydantic models that refuse unknown fields. A record as JSON (`model_dump_json`) gives the equal record back
(`model_validate_json`), for any bytes: they travel as base64 (RFC 4648, URL-safe alphabet). What JSON could not give
back is refused when a record is made: NaN, numbers beyond 64 bits, keys that are not text, lone surrogates.

`schema_version` names the form of a record; `docs/schemas` has its JSON Schema. A record of another version is
refused, never read in part.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    computed_field,
    model_validator,
)

from markitect_tool.diagnostics import Diagnostic, has_errors
from markitect_tool.errors import ModelError
from markitect_tool.serialization import plain_json
from markitect_tool.source.model import NormalizedMarkdownDocument

MAX_DEPTH = 100  # of nested lists and mappings; JSON readers give up not far beyond
_LARGEST = 2**63


def _encodable(text: str) -> str:
    """`text`, which has a UTF-8 form. Raises `ValueError` for a lone surrogate, which has none."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"it holds half of a surrogate pair (U+{ord(text[error.start]):04X} at character {error.start}), which "
                "is no text; pass undecoded content as bytes"
            ) from None
    return text


def _portable(value: Any, depth: int = 0) -> None:
    """Raises `ValueError` for JSON data that some reader of JSON would not give back unchanged."""
    if isinstance(value, str):
        _encodable(value)
    elif isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        raise ValueError("it holds a whole number of more than 64 bits")
    elif isinstance(value, dict | list):
        if depth == MAX_DEPTH:
            raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
        for item in value.values() if isinstance(value, dict) else value:
            _portable(item, depth + 1)
        if isinstance(value, dict):
            for key in value:
                _encodable(key)


def _own_json(value: Mapping[str, Any], info: ValidationInfo) -> dict[str, Any]:
    own: dict[str, Any] = plain_json(value, info.field_name or "value")
    _portable(own)
    return own


Text = Annotated[str, AfterValidator(_encodable)]
Name = Annotated[str, Field(min_length=1), AfterValidator(_encodable)]
JsonObject = Annotated[dict[str, Any], AfterValidator(_own_json)]


_CONTENT_SCHEMA = {
    "title": "Content",
    "type": "string",
    "description": "The text itself, or bytes in base64 with the URL-safe alphabet: content_encoding says which.",
}


class Record(BaseModel):
    """Base of all records; see the top of this module."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        ser_json_bytes="base64",
        val_json_bytes="base64",
        ser_json_inf_nan="strings",
        allow_inf_nan=False,
    )


class CharacterSpan(Record):
    """Which characters of a decoded text: `start` is the first, `end` the one after the last, both from 0."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"a span cannot end at {self.end} before it starts at {self.start}")
        return self


class Provenance(Record):
    """Where a document comes from; stamped by the source, and inherited by everything made of the document."""

    uri: Name  # its identity in document ids and cache keys
    key: Name  # unique in the run and the same in each: a relative path with `/`, or a URI
    digest: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")  # of the content's bytes; of its UTF-8 form for a str
    size: int = Field(ge=0)  # bytes
    source: Name  # the kind of source: "folder", "glob", "list", "manifest"
    name: Text | None = None  # file name, for people
    modified_ns: int | None = Field(default=None, ge=-_LARGEST, lt=_LARGEST)  # nanoseconds since 1970, if known
    span: CharacterSpan | None = None  # of the decoded text; a parser that decodes text fills it in
    metadata: JsonObject = Field(default_factory=dict)  # what else the source knows: trust, etag, revision


class Classification(Record):
    """What a source takes its content for before anybody parses it: a guess, which parsers may overrule."""

    media_type: Name
    language: Text | None = None  # BCP 47; None where nothing speaks for a language
    textual: bool  # whether the bytes are text in some encoding


class ParserInput(Record):
    """A raw document: what a source read, undecoded, on its way to a parser.

    `content` is a `str` only from a source that holds text in the first place. In JSON, `content_encoding` tells the
    two apart: "base64" (the default) or "text". `config` holds hints for the parser, such as `encoding`.
    """

    schema_version: Literal["markitect.parser-input.v1"] = "markitect.parser-input.v1"
    content: Annotated[bytes | str, WithJsonSchema(_CONTENT_SCHEMA)]
    config: JsonObject = Field(default_factory=dict)
    provenance: Provenance
    classification: Classification

    @computed_field  # type: ignore[prop-decorator]
    @property
    def content_encoding(self) -> Literal["base64", "text"]:
        """How `content` is written in JSON."""
        return "text" if isinstance(self.content, str) else "base64"

    @model_validator(mode="before")
    @classmethod
    def _decoded(cls, data: Any, info: ValidationInfo) -> Any:
        """`data` with its content as it was before JSON: a base64 text must not come back as text, nor the reverse."""
        if not isinstance(data, Mapping):
            return data
        fields = dict(data)
        content = fields.get("content")
        encoding = fields.pop("content_encoding", "base64" if info.mode == "json" else None)
        if encoding not in (None, "base64", "text"):
            raise ValueError(f'content_encoding is "base64" or "text", not {encoding!r}')
        if isinstance(content, bytes) and encoding == "text":
            raise ValueError("content_encoding is text, but the content is bytes")
        if isinstance(content, str) and encoding == "base64":
            fields["content"] = _from_base64(content)
        elif isinstance(content, str):
            _encodable(content)
        return fields

    @property
    def data(self) -> bytes:
        """The content as bytes: a `str` in UTF-8."""
        return self.content if isinstance(self.content, bytes) else self.content.encode()


class DocumentRecord(Record):
    """What a parser made of a `ParserInput`: the normalized document, or why there is none.

    Provenance and classification are those of the input; a parser may only add what it found out. Without a
    `document`, at least one of the `diagnostics` is an error.
    """

    schema_version: Literal["markitect.document-record.v1"] = "markitect.document-record.v1"
    provenance: Provenance
    classification: Classification
    document: JsonObject | None = None  # NormalizedMarkdownDocument.to_dict()
    diagnostics: list[JsonObject] = Field(default_factory=list)  # Diagnostic.to_dict(), the document's own among them
    _normalized: NormalizedMarkdownDocument | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _sound(self, info: ValidationInfo) -> Self:
        found = self.findings()
        if self.document is not None:
            # `of` brings the object that `document` was made of.
            self._normalized = info.context or NormalizedMarkdownDocument.from_dict(self.document)
        elif not has_errors(found):
            raise ValueError("a record without a document needs an error among its diagnostics")
        return self

    @classmethod
    def of(
        cls,
        given: ParserInput,
        document: NormalizedMarkdownDocument | None,
        diagnostics: Iterable[Diagnostic] = (),
        *,
        span: CharacterSpan | None = None,
    ) -> Self:
        """The record of `document`, made of `given`; `span` is what a parser of text knows."""
        provenance = given.provenance if span is None else given.provenance.model_copy(update={"span": span})
        fields = {
            "provenance": provenance,
            "classification": given.classification,
            "document": None if document is None else document.to_dict(),
            "diagnostics": [found.to_dict() for found in diagnostics],
        }
        return cls.model_validate(fields, context=document)

    @property
    def valid(self) -> bool:
        """Whether there is a document to export: one was made, and no diagnostic is an error."""
        return self.document is not None and not has_errors(self.findings())

    def findings(self) -> list[Diagnostic]:
        """The diagnostics as objects."""
        return [Diagnostic.from_dict(found) for found in self.diagnostics]

    def normalized(self) -> NormalizedMarkdownDocument:
        """The document as an object. Raises `ModelError` when there is none."""
        if self._normalized is None:
            raise ModelError(f"{self.provenance.key} has no document: it could not be parsed")
        return self._normalized


# By the names of their JSON Schemas. A change that makes records of before invalid takes the next version.
RECORDS: Mapping[str, type[Record]] = MappingProxyType(
    {
        "parser-input.v1": ParserInput,
        "document-record.v1": DocumentRecord,
        "provenance.v1": Provenance,
        "classification.v1": Classification,
    }
)


def record_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the record `name`, one of `RECORDS`, as `model_dump_json` writes it."""
    schema = RECORDS[name].model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:markitect:{name}", **schema}


def in_short(error: ValueError) -> str:
    """What a record was refused for, on one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        return f"{where}: {first['msg']}" if where else first["msg"]
    return str(error)


def _from_base64(text: str) -> bytes:
    try:
        return b64decode(text.replace("+", "-").replace("/", "_"), altchars=b"-_", validate=True)
    except ValueError as error:  # `binascii.Error` is one, and so is what is not ASCII
        raise ValueError(f'the content is not base64 ({error}); content_encoding "text" marks plain text') from None
