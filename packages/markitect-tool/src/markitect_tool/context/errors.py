"""The exceptions of the context layer.

::

    ReportedError
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

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.errors import ReportedError


class ContextError(ReportedError):
    """A URI, an object or a manifest cannot be used; the argument `source` is the URI."""

    code = "source-unavailable"


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

    code = "unknown-scheme"


class PathTraversalError(ContextError):
    """A path leads out of the manifest's folder."""

    code = "path-traversal"


class DigestMismatchError(ContextError):
    """The bytes are not those that were promised."""

    code = "digest-mismatch"


class MissingDigestError(ContextError):
    """The manifest requires a digest and there is none."""

    code = "missing-digest"


class ManifestError(ContextError):
    """The manifest is missing, unreadable or wrong."""

    code = "context.manifest_invalid"


class ManifestNotFoundError(ManifestError):
    """There is no manifest in the folder or above."""

    code = "context.manifest_missing"


class UnsupportedVersionError(ManifestError):
    """The manifest follows another major version."""

    code = "context.unsupported_version"


class MalformedDocumentError(ContextError):
    """A file of the context is not the YAML or JSON that it should be, or larger and deeper than is safe to read."""

    code = "context.document_malformed"


class ObjectInvalidError(ContextError):
    """An object's file breaks the rules of objects."""

    code = "context.object_invalid"


class ObjectNotFoundError(ContextError):
    """The context holds no object of that id."""

    code = "context.object_not_found"


class DuplicateSchemeError(ContextError):
    """Two adapters claim one scheme."""

    code = "context.duplicate_scheme"


class ScopesNotEnforcedError(ContextError):
    """Something limits who may read the context, and a bundle would hand it out regardless."""

    code = "context.scopes_not_enforced"


class InvalidContextError(ContextError):
    """The context has errors, all of them in `diagnostics`, so what is made of it would be incomplete."""

    code = "context.invalid"

    def __init__(self, message: str, diagnostics: Iterable[Diagnostic]) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)
