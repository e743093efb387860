"""The exceptions of Markitect.

::

    MarkitectError
    ├── ModelError                     data that does not describe a model (also a ValueError)
    └── ReportedError                  carries `.diagnostic`; `context` and `pipeline` have more of them
        └── SourceError                    a source cannot be used
            ├── MissingSourceError             no such path
            ├── NotAFileError                  a directory, pipe or device
            ├── UnreadableSourceError          the system refuses to read it
            ├── EmptySourceError               no bytes at all
            ├── UnsupportedFormatError         no adapter reads it
            ├── MalformedSourceError           not what its format requires
            ├── EncryptedSourceError           protected content
            ├── LimitExceededError             larger, deeper or longer than a safety limit
            ├── MissingDependencyError         an optional library is not installed
            ├── OptionError                    an adapter option is unusable
            │   ├── UnknownOptionError
            │   └── InvalidOptionError
            └── RegistryError                  the set of adapters is unusable
                ├── DuplicateAdapterError
                └── UnknownAdapterError

Adapters raise a `SourceError` for whatever stops them and turn it into a diagnostic at their edge
(`error.diagnostic`); no caller of `normalize_source` or `inspect_source` ever sees one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from markitect_tool.diagnostics import Diagnostic


class MarkitectError(Exception):
    """Root of every exception that this project raises on purpose."""


class ModelError(MarkitectError, ValueError):
    """A value does not fit a model: a required field is missing, a key unknown, a value not JSON."""


class ReportedError(MarkitectError):
    """An error that carries a diagnostic: what is wrong, where, and what to do.

    Each subclass stands for one diagnostic code; the argument `code` overrides it where one class serves several.
    The keyword arguments are those of `markitect_tool.diagnostics.diagnostic`.
    """

    code: str
    diagnostic: Diagnostic

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        source: str | None = None,
        path: str | None = None,
        line: int | None = None,
        hint: str | None = None,
        **details: Any,
    ) -> None:
        from markitect_tool.diagnostics import diagnostic

        super().__init__(message)
        self.code = code or self.code
        self.diagnostic = diagnostic(self.code, message, source=source, path=path, line=line, hint=hint, **details)

    @property
    def hint(self) -> str | None:
        """What a person can do."""
        return self.diagnostic.hint

    @classmethod
    def of(cls, found: Diagnostic) -> Self:
        """The error that carries `found`."""
        error = cls(found.message, code=found.code)
        error.diagnostic = found
        return error


class SourceError(ReportedError):
    """A source cannot be inspected or normalized."""

    code = "source.malformed"


class MissingSourceError(SourceError):
    """No such path."""

    code = "source.not_found"


class NotAFileError(SourceError):
    """The path names a directory, pipe, socket or device."""

    code = "source.not_a_file"


class UnreadableSourceError(SourceError):
    """The operating system refuses to read the path."""

    code = "source.unreadable"


class EmptySourceError(SourceError):
    """The source has no bytes."""

    code = "source.empty"


class UnsupportedFormatError(SourceError):
    """No registered adapter reads the source."""

    code = "source.unsupported_format"


class MalformedSourceError(SourceError):
    """The source breaks its own format beyond recovery."""

    code = "source.malformed"


class EncryptedSourceError(SourceError):
    """The content is encrypted or rights-managed."""

    code = "source.encrypted"


class LimitExceededError(SourceError):
    """A safety limit was reached."""

    code = "source.limit_exceeded"


class MissingDependencyError(SourceError):
    """A library that the adapter needs is not installed."""

    code = "source.missing_dependency"


class OptionError(SourceError):
    """An adapter option cannot be used."""

    code = "source.invalid_option"


class UnknownOptionError(OptionError):
    """The adapter declares no option of that name."""

    code = "source.unknown_option"


class InvalidOptionError(OptionError):
    """The value does not fit the option's schema."""

    code = "source.invalid_option"


class RegistryError(SourceError):
    """The set of adapters is inconsistent, or does not hold what was asked for."""

    code = "source.discovery_failed"


class DuplicateAdapterError(RegistryError):
    """Two packages claim one adapter id."""

    code = "source.duplicate_adapter"


class UnknownAdapterError(RegistryError):
    """No adapter has that id."""

    code = "source.unknown_adapter"
