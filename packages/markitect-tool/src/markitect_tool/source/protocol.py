"""What an adapter is: a cheap descriptor, and the object that its factory makes when it is needed.

A descriptor is plain data. Building and listing one imports nothing of the format; only `factory()` may.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from markitect_tool.errors import MissingDependencyError, ModelError
from markitect_tool.record import field
from markitect_tool.serialization import Model

if TYPE_CHECKING:
    from markitect_tool.diagnostics import Diagnostic
    from markitect_tool.extension import ExtensionDescriptor
    from markitect_tool.source.messages import (
        SourceAdapterMatch,
        SourceAdapterMatchRequest,
        SourceInspectRequest,
        SourceInspectResult,
        SourceReadRequest,
        SourceReadResult,
    )

EXTENSION_KIND = "source-adapter"
CAPABILITIES = ("source read", "markdown normalize", "diagnostics emit", "provenance emit", "filesystem read")


class OptionalDependency(Model):
    """A library that an adapter imports only when it works.

    `import_name` is the top-level module; `distribution` with its `extra` is what a person installs to get
    it. Without `required`, its absence only takes features away.
    """

    import_name: str  # "lxml"
    distribution: str  # "markitect-filter"
    extra: str | None = None  # "epub3"
    required: bool = True
    purpose: str | None = None  # what it is needed for

    REQUIRED: ClassVar[tuple[str, ...]] = ("import_name", "distribution")

    def __post_init__(self) -> None:
        Model.__post_init__(self)
        if not str(self.import_name).isidentifier():  # to look for a submodule is to import its package
            raise ModelError(f"import_name is the name of a top-level module, not {self.import_name!r}")

    @property
    def install_command(self) -> str:
        """The command that installs it, ready to be pasted."""
        wanted = f"{self.distribution}[{self.extra}]" if self.extra else self.distribution
        return f"pip install {wanted}"

    def is_available(self) -> bool:
        """Whether the module could be imported; looks for it without importing it."""
        from importlib.util import find_spec

        if sys.modules.get(self.import_name) is not None:
            return True
        try:
            return find_spec(self.import_name) is not None
        except (ImportError, ValueError):  # refused by an import hook, or half-initialised in sys.modules
            return False


class SourceAdapterDescriptor(Model):
    """What an adapter says about itself before any of it is loaded.

    Raises `ModelError` for operations other than `read`, a media type that is not lower-case or has no
    slash, a suffix that is not lower-case or has no dot, and whatever else would fail only when the adapter
    is listed.
    """

    id: str  # "source.epub3"
    version: str  # changes whenever output may change: document ids and cache keys contain it
    name: str
    operations: list[str]
    media_types: list[str]
    extensions: list[str]
    factory: Callable[[], SourceReadAdapter] = field(compare=False, repr=False)
    summary: str | None = None
    option_schema: dict[str, Any] = field(default_factory=dict)  # see `markitect_tool.source.options`
    optional_dependencies: list[OptionalDependency] = field(default_factory=list)
    safety: dict[str, Any] = field(default_factory=dict)
    quality_profile: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    NESTED: ClassVar[Mapping[str, type[Model]]] = {"optional_dependencies": OptionalDependency}
    REQUIRED: ClassVar[tuple[str, ...]] = ("id", "version", "name", "factory")
    UNSERIALISED: ClassVar[frozenset[str]] = frozenset({"factory"})

    def __post_init__(self) -> None:
        Model.__post_init__(self)
        for name in self._FIELDS:
            if name not in self.UNSERIALISED and (value := getattr(self, name)) is not None:
                self._check_type(name, value)
        if not self.id.isprintable() or self.id.split() != [self.id]:
            raise ModelError(f"{self.id!r} is no adapter id: it has blanks or control characters")
        if self.operations != ["read"]:
            raise ModelError(f"{self.id}: operations must be ['read'] in this version, not {self.operations}")
        for media_type in self.media_types:
            if media_type != media_type.lower() or "/" not in media_type:
                raise ModelError(f"{self.id}: {media_type!r} is not a lower-case media type")
        for extension in self.extensions:
            if extension != extension.lower() or not extension.startswith("."):
                raise ModelError(f"{self.id}: {extension!r} is not a lower-case suffix with its dot")
        if not callable(self.factory):
            raise ModelError(f"{self.id}: factory is not callable")
        declared = self.option_schema.get("properties", {})
        if not isinstance(declared, dict) or not all(isinstance(schema, dict) for schema in declared.values()):
            raise ModelError(f"{self.id}: the properties of option_schema are not a schema for each option")

    def missing_dependencies(self) -> list[OptionalDependency]:
        """The required dependencies that are not installed."""
        return [need for need in self.optional_dependencies if need.required and not need.is_available()]

    def missing_dependency_diagnostics(self) -> list[Diagnostic]:
        """One `source.missing_dependency` per missing library, with the command that installs it."""
        return [self._missing(need.import_name, need).diagnostic for need in self.missing_dependencies()]

    def import_failure(self, error: ImportError) -> MissingDependencyError:
        """What to raise for a library whose import failed although it was there, or was not declared."""
        name = (error.name or "").partition(".")[0]
        for need in self.optional_dependencies:
            if need.import_name == name:
                return self._missing(name, need)
        return MissingDependencyError(
            f"The adapter {self.id} fails to import what it needs: {error}.",
            hint="Install that library, or reinstall the package of the adapter.",
            adapter=self.id,
            dependency=name or None,
        )

    def _missing(self, name: str, need: OptionalDependency) -> MissingDependencyError:
        return MissingDependencyError(
            f"The adapter {self.id} needs {name}, which cannot be imported.",
            hint=f"Install it: {need.install_command}",
            adapter=self.id,
            dependency=name,
            install=need.install_command,
        )

    def to_extension(self) -> ExtensionDescriptor:
        """This adapter's entry in the catalogue of extensions."""
        from markitect_tool.extension import ExtensionDescriptor

        return ExtensionDescriptor(
            id=self.id,
            version=self.version,
            name=self.name,
            kind=EXTENSION_KIND,
            input_contract="SourceInspectRequest | SourceReadRequest",
            output_contract="SourceInspectResult | SourceReadResult",
            diagnostics_namespace="source",
            provenance_prefix=self.id if self.id.startswith("source.") else f"source.{self.id}",
            summary=self.summary,
            capabilities=list(CAPABILITIES),
            operations=self.operations,
            safety=self.safety,
            metadata=self.metadata,
        )


@runtime_checkable
class SourceReadAdapter(Protocol):
    """A reader of one family of formats. Bad input never raises: it comes back as a diagnostic."""

    descriptor: SourceAdapterDescriptor

    def can_read(self, request: SourceAdapterMatchRequest) -> SourceAdapterMatch:
        """Say cheaply whether, and how surely, the source is yours."""
        ...

    def inspect(self, request: SourceInspectRequest) -> SourceInspectResult:
        """Validate the structure and collect metadata. Never converts."""
        ...

    def read(self, request: SourceReadRequest) -> SourceReadResult:
        """Convert the source."""
        ...
