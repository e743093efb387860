"""The exceptions of the context layer.

::

    MarkitectError
    └── ContextError                    carries `.diagnostic`
        ├── SourceUnavailableError          source-unavailable: no bytes, for whatever reason
        │   ├── MalformedUriError               the URI is not what its adapter reads
        │   ├── OfflineError                    it would need the network in an offline run
        │   ├── TooLargeError                   more bytes than the cap
        │   ├── TooSlowError                    longer than the time cap
        │   ├── RefusedAddressError             a host that the operator did not open
        │   └── MissingLibraryError             an extra is not installed
        ├── UnknownSchemeError              unknown-scheme
        ├── PathTraversalError              path-traversal
        ├── DigestMismatchError             digest-mismatch
        ├── MissingDigestError              missing-digest
        ├── ManifestError                   context.manifest_invalid
        │   ├── ManifestNotFoundError           context.manifest_missing
        │   └── UnsupportedVersionError         context.unsupported_version
        ├── MalformedDocumentError          context.document_malformed
        ├── ObjectInvalidError              context.object_invalid
        ├── ObjectNotFoundError             context.object_not_found
        ├── DuplicateSchemeError            context.duplicate_scheme
        ├── ScopesNotEnforcedError          context.scopes_not_enforced
        └── InvalidContextError             context.invalid: carries all its `.diagnostics`

An adapter raises a `ContextError`; whoever resolves an object attaches its diagnostic to that object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.errors import MarkitectError


class ContextError(MarkitectError):
    """A URI, an object or a manifest cannot be used.

    Each subclass stands for one diagnostic code; `code` overrides it where one class serves several.
    The keyword arguments are those of `markitect_tool.diagnostics.diagnostic`; `source` is the URI.
    """

    default_code: ClassVar[str] = "source-unavailable"
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
        super().__init__(message)
        self.diagnostic = diagnostic(
            code or self.default_code, message, source=source, path=path, line=line, hint=hint, **details
        )

    @property
    def code(self) -> str:
        """The diagnostic's code."""
        return self.diagnostic.code

    @property
    def hint(self) -> str | None:
        """What a person can do."""
        return self.diagnostic.hint


class SourceUnavailableError(ContextError):
    """No bytes can be had from the URI."""


class MalformedUriError(SourceUnavailableError):
    """The URI is not of the form that its adapter reads."""


class OfflineError(SourceUnavailableError):
    """The URI needs the network and the run is offline."""


class TooLargeError(SourceUnavailableError):
    """The source has more bytes than the cap."""


class TooSlowError(SourceUnavailableError):
    """The source takes longer than the time cap."""


class RefusedAddressError(SourceUnavailableError):
    """The host, or the address behind it, is one that the operator did not open."""


class MissingLibraryError(SourceUnavailableError):
    """A library that the adapter needs is not installed."""


class UnknownSchemeError(ContextError):
    """No adapter claims the URI's scheme."""

    default_code = "unknown-scheme"


class PathTraversalError(ContextError):
    """A path leads out of the manifest's folder."""

    default_code = "path-traversal"


class DigestMismatchError(ContextError):
    """The bytes are not those that were promised."""

    default_code = "digest-mismatch"


class MissingDigestError(ContextError):
    """The manifest requires a digest and there is none."""

    default_code = "missing-digest"


class ManifestError(ContextError):
    """The manifest is missing, unreadable or wrong."""

    default_code = "context.manifest_invalid"


class ManifestNotFoundError(ManifestError):
    """There is no manifest in the folder or above."""

    default_code = "context.manifest_missing"


class UnsupportedVersionError(ManifestError):
    """The manifest follows another major version."""

    default_code = "context.unsupported_version"


class MalformedDocumentError(ContextError):
    """A file of the context is not the YAML or JSON that it should be, or larger and deeper than is safe to read."""

    default_code = "context.document_malformed"


class ObjectInvalidError(ContextError):
    """An object's file breaks the rules of objects."""

    default_code = "context.object_invalid"


class ObjectNotFoundError(ContextError):
    """The context holds no object of that id."""

    default_code = "context.object_not_found"


class DuplicateSchemeError(ContextError):
    """Two adapters claim one scheme."""

    default_code = "context.duplicate_scheme"


class ScopesNotEnforcedError(ContextError):
    """Something limits who may read the context, and a bundle would hand it out regardless."""

    default_code = "context.scopes_not_enforced"


class InvalidContextError(ContextError):
    """The context has errors, all of them in `diagnostics`, so what is made of it would be incomplete."""

    default_code = "context.invalid"

    def __init__(self, message: str, diagnostics: Iterable[Diagnostic]) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)
