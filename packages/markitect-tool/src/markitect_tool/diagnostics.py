"""Diagnostics: what a run has to say about a source, in a closed set of codes.

`CATALOGUE` is the whole set. A code has one severity and one remedy by default, so that a report reads the
same wherever it was written; adding a kind of finding means adding a line there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from markitect_tool.errors import ModelError
from markitect_tool.named_tuple import NamedTuple
from markitect_tool.record import field, replace
from markitect_tool.serialization import Model

Severity = Literal["info", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")  # the gravest first


class CodeInfo(NamedTuple):
    """What a code means: default severity, one-line summary, and what a person can do (may be empty)."""

    severity: Severity
    summary: str
    remedy: str


class Diagnostic(Model):
    """One finding about a source. Any diagnostic of severity `error` makes a result invalid."""

    code: str  # "source.malformed"
    message: str  # what is wrong, for a person
    severity: Severity
    source: str | None = None  # URI or path of the source
    path: str | None = None  # member inside the source, such as an EPUB member path
    line: int | None = None  # 1-based line in that member, or in the source
    hint: str | None = None  # what to do
    details: Mapping[str, Any] = field(default_factory=dict)  # JSON facts: names, numbers

    REQUIRED: ClassVar[tuple[str, ...]] = ("code", "message", "severity")

    def __post_init__(self) -> None:
        Model.__post_init__(self)
        if self.severity not in SEVERITIES:
            raise ModelError(f"severity is one of {', '.join(SEVERITIES)}, not {self.severity!r}")


def diagnostic(
    code: str,
    message: str,
    *,
    severity: Severity | None = None,
    source: str | None = None,
    path: str | None = None,
    line: int | None = None,
    hint: str | None = None,
    **details: Any,
) -> Diagnostic:
    """A diagnostic whose severity and hint come from `CATALOGUE` unless given; details of None are left out.

    Raises `KeyError` for a code that the catalogue does not hold.
    """
    info = CATALOGUE[code]
    facts = {name: value for name, value in details.items() if value is not None}
    return Diagnostic(code, message, severity or info.severity, source, path, line, hint or info.remedy or None, facts)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether a result with these diagnostics is invalid."""
    return any(entry.severity == "error" for entry in diagnostics)


class DiagnosticSink:
    """Collects diagnostics in the order they are reported.

    `report(..., once=key)` keeps only the first diagnostic of each key and counts the rest: a book with
    9,000 broken links has one entry with `details["count"] == 9000`, and memory stays bounded.
    `source` is the source of every entry that names none.
    """

    def __init__(self, source: str | None = None) -> None:
        self.source = source
        self._entries: list[Diagnostic] = []
        self._counted: dict[Hashable, list[int]] = {}  # key -> [index in _entries, count]

    def add(self, entry: Diagnostic) -> None:
        """Append `entry`."""
        self._entries.append(entry if entry.source or not self.source else replace(entry, source=self.source))

    def extend(self, entries: Iterable[Diagnostic]) -> None:
        """Append every entry as it is."""
        self._entries.extend(entries)

    def report(self, code: str, message: str, *, once: Hashable = None, **fields: Any) -> None:
        """Append `diagnostic(code, message, **fields)`, or count it under `once`."""
        if once is not None:
            counted = self._counted.get(once)
            if counted is not None:
                counted[1] += 1
                return
            self._counted[once] = [len(self._entries), 1]
        fields.setdefault("source", self.source)
        self._entries.append(diagnostic(code, message, **fields))

    def __iter__(self) -> Iterator[Diagnostic]:
        counted = list(self._entries)
        for index, count in self._counted.values():
            if count > 1:
                entry = counted[index]
                counted[index] = replace(entry, details={**entry.details, "count": count})
        return iter(counted)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def has_errors(self) -> bool:
        """Whether an error was reported."""
        return has_errors(self._entries)


_OPTIONS_REMEDY = "`mkt source adapters --adapter ID` lists the options and their values."

CATALOGUE: Mapping[str, CodeInfo] = MappingProxyType(
    {
        # Finding the source and the adapter
        "source.adapter_ambiguous": CodeInfo(
            "warning",
            "Several adapters match equally well; the first by id was used.",
            "Name the adapter that you want with --adapter.",
        ),
        "source.discovery_failed": CodeInfo(
            "warning",
            "An installed package offers an adapter that cannot be loaded.",
            "Upgrade or remove that package; the other adapters work.",
        ),
        "source.duplicate_adapter": CodeInfo(
            "error", "Two packages claim one adapter id.", "Remove one of the two packages."
        ),
        "source.empty": CodeInfo("error", "The source has no bytes.", "Check that the file was copied whole."),
        "source.invalid_option": CodeInfo(
            "error",
            "An option's value does not fit its schema.",
            _OPTIONS_REMEDY,
        ),
        "source.missing_dependency": CodeInfo("error", "The adapter needs a library that is not installed.", ""),
        "source.not_a_file": CodeInfo(
            "error", "The path is a directory, pipe or device.", "Give the path of a regular file."
        ),
        "source.not_found": CodeInfo("error", "No such path.", "Check the spelling of the path."),
        "source.unknown_adapter": CodeInfo("error", "No adapter has that id.", "`mkt source adapters` lists the ids."),
        "source.unknown_option": CodeInfo(
            "error",
            "The adapter declares no such option.",
            _OPTIONS_REMEDY,
        ),
        "source.unreadable": CodeInfo(
            "error", "The system refuses to read the source.", "Check the permissions of the file."
        ),
        "source.unsupported_format": CodeInfo(
            "error",
            "No adapter reads this format.",
            "`mkt source adapters` lists what can be read; --adapter overrides the detection.",
        ),
        # The bytes and the container
        "source.archive_irregular": CodeInfo("warning", "The archive breaks the ZIP rules but is readable.", ""),
        "source.archive_truncated": CodeInfo(
            "error", "The archive ends too early.", "Fetch the file again; the copy is incomplete."
        ),
        "source.encoding_recovered": CodeInfo(
            "warning", "The text encoding was guessed.", "Declare the encoding to be sure of every character."
        ),
        "source.encrypted": CodeInfo(
            "error", "Content is encrypted or rights-managed.", "Only unprotected content can be read."
        ),
        "source.limit_exceeded": CodeInfo(
            "error", "A safety limit was reached.", "Raise the limit by its option if you trust the source."
        ),
        "source.malformed": CodeInfo(
            "error",
            "The source breaks its own format beyond recovery.",
            "Check that the file was copied whole.",
        ),
        "source.member_corrupt": CodeInfo("warning", "A member of the archive cannot be unpacked.", ""),
        "source.member_duplicate": CodeInfo("warning", "The archive holds one name twice.", ""),
        "source.member_missing": CodeInfo("warning", "A referenced member is not in the archive.", ""),
        "source.member_renamed": CodeInfo(
            "warning", "A reference matched a member only after repair of case, slashes or encoding.", ""
        ),
        "source.member_unreferenced": CodeInfo("info", "A member is declared nowhere.", ""),
        "source.member_unsafe": CodeInfo("warning", "A member name points outside the archive.", ""),
        "source.mimetype_irregular": CodeInfo("info", "The mimetype member is missing or wrong.", ""),
        # The package and its metadata
        "source.fallback_missing": CodeInfo("warning", "A foreign resource has no usable fallback.", ""),
        "source.fallback_used": CodeInfo("info", "A fallback was read in place of a foreign resource.", ""),
        "source.media_type_irregular": CodeInfo("warning", "A declared media type contradicts the content.", ""),
        "source.media_type_unsupported": CodeInfo("warning", "An item of this media type cannot be read.", ""),
        "source.metadata_irregular": CodeInfo("info", "Metadata is missing or oddly formed.", ""),
        "source.package_irregular": CodeInfo("warning", "The package document breaks its rules.", ""),
        "source.rendition_available": CodeInfo("info", "The source holds further renditions.", ""),
        # Reading order and navigation
        "source.item_skipped": CodeInfo("info", "An item was left out on purpose.", ""),
        "source.nav_irregular": CodeInfo("warning", "The navigation breaks its rules.", ""),
        "source.nav_missing": CodeInfo("warning", "The source has no navigation.", ""),
        "source.spine_item_missing": CodeInfo("warning", "A part of the reading order is not there.", ""),
        "source.spine_item_nonlinear": CodeInfo("info", "A part stands outside the linear reading order.", ""),
        "source.spine_item_unreadable": CodeInfo("warning", "A part of the reading order cannot be read.", ""),
        "source.toc_target_missing": CodeInfo("warning", "The table of contents points at nothing.", ""),
        "source.toc_unreached": CodeInfo("info", "The table of contents does not reach a part.", ""),
        # The text
        "source.asset_missing": CodeInfo("warning", "A referenced image or file is not there.", ""),
        "source.asset_remote": CodeInfo("info", "An asset lives on the network and was not fetched.", ""),
        "source.content_flattened": CodeInfo("warning", "Structure was lost: Markdown has no form for it.", ""),
        "source.feature_unsupported": CodeInfo("info", "A feature of the source is not converted.", ""),
        "source.link_nested": CodeInfo("warning", "A link inside a link was taken apart.", ""),
        "source.link_target_missing": CodeInfo("warning", "An internal link points at nothing.", ""),
        "source.link_unsafe": CodeInfo("warning", "A link with an unsafe scheme was disarmed.", ""),
        "source.markup_recovered": CodeInfo("warning", "Broken markup was read tolerantly.", ""),
        "source.math_unconverted": CodeInfo("warning", "A formula could not be turned into TeX.", ""),
        "source.not_reached": CodeInfo("warning", "Content was not reached by the conversion.", ""),
        "source.note_document_emptied": CodeInfo("info", "All text of a document became notes.", ""),
        "source.note_unmatched": CodeInfo("warning", "A note reference has no note.", ""),
        "source.note_unreferenced": CodeInfo("info", "A note is referred to nowhere and stays visible.", ""),
        "source.page_conflict": CodeInfo("warning", "Page labels contradict each other.", ""),
        "source.table_flattened": CodeInfo("info", "A table was simplified to fit Markdown.", ""),
        "source.text_empty": CodeInfo("info", "A part holds no text.", ""),
        # Files that a document becomes
        "output.attachment_unreadable": CodeInfo("warning", "A picture could not be copied.", ""),
        "output.attachments_unavailable": CodeInfo(
            "warning",
            "The adapter does not offer the bytes of pictures.",
            "Take the pictures from the source yourself.",
        ),
        # A run over many documents
        "pipeline.adapter_failed": CodeInfo(
            "error",
            "An adapter failed in a way that it should not.",
            "It is a defect of the adapter: report it, with the document if you may. `mkt pipeline retry` tries again.",
        ),
        "pipeline.checkpoint_corrupt": CodeInfo(
            "error",
            "The checkpoint is damaged.",
            "Remove the checkpoint file, then run again with --restart: every document is converted anew.",
        ),
        "pipeline.checkpoint_exists": CodeInfo(
            "error",
            "The target holds an earlier run.",
            "--resume continues it, --restart begins anew; or name another target.",
        ),
        "pipeline.checkpoint_foreign": CodeInfo(
            "error",
            "Where the checkpoint should be is some other file.",
            "Name another target, or another file with --checkpoint.",
        ),
        "pipeline.checkpoint_in_use": CodeInfo(
            "error", "Another run is working on the target.", "Wait for that run, or stop it."
        ),
        "pipeline.checkpoint_missing": CodeInfo(
            "error",
            "There is no checkpoint, so no run to continue or to show.",
            "Check the spelling of the target; of one that is no local folder, name the --checkpoint.",
        ),
        "pipeline.checkpoint_newer": CodeInfo(
            "error", "The checkpoint was made by a later version.", "Upgrade markitect-tool."
        ),
        "pipeline.configuration_invalid": CodeInfo(
            "error",
            "The settings of a run cannot be used.",
            "Correct the settings; `mkt pipeline run --help` lists them.",
        ),
        "pipeline.memory_exceeded": CodeInfo(
            "error",
            "A document needed more memory than a worker may have.",
            "Raise --memory and run again with --resume.",
        ),
        "pipeline.target_not_empty": CodeInfo(
            "error",
            "The target is a folder with files of somebody else in it.",
            "Name an empty folder, or give --restart: files of the same names are then replaced.",
        ),
        "pipeline.timeout": CodeInfo(
            "error",
            "A document took longer than the limit.",
            "Raise --timeout and run again with --resume.",
        ),
        "pipeline.worker_died": CodeInfo(
            "error",
            "A document ended its worker process, twice.",
            "Look at the document by itself: `mkt source normalize`. --resume tries it again.",
        ),
        "pipeline.workers_failed": CodeInfo(
            "error", "Worker processes cannot be started.", "Check the installation: `mkt source adapters`."
        ),
        # A context: its manifest, its objects, and the URIs that they point at
        "context.adapter_unknown": CodeInfo(
            "warning",
            "The manifest configures a scheme that no adapter reads.",
            "Correct the scheme's name, or install an adapter for it.",
        ),
        "context.collection_empty": CodeInfo(
            "warning", "A collection matches no file.", "Correct the glob; `**` stands for every file below a folder."
        ),
        "context.discovery_failed": CodeInfo(
            "warning",
            "An installed package offers a context adapter that cannot be used.",
            "Upgrade or remove that package; the other adapters work.",
        ),
        "context.document_malformed": CodeInfo(
            "error", "A file is not the YAML or JSON that it should be.", "Correct the file where the message says."
        ),
        "context.duplicate_id": CodeInfo("error", "Two objects have one id.", "Give each object an id of its own."),
        "context.duplicate_scheme": CodeInfo("error", "Two adapters claim one scheme.", "Remove one of the two."),
        "context.file_repeated": CodeInfo("info", "A file is named twice; the first naming counts.", ""),
        "context.invalid": CodeInfo("error", "The context has errors.", "`mkt context validate` lists them."),
        "context.link_not_followed": CodeInfo(
            "warning", "A link to a folder was not followed.", "Name the folder itself in a collection."
        ),
        "context.manifest_ambiguous": CodeInfo(
            "warning", "A folder holds several manifests.", "Keep one of the manifests."
        ),
        "context.manifest_invalid": CodeInfo("error", "The manifest breaks its rules.", "Correct the manifest."),
        "context.manifest_missing": CodeInfo(
            "error",
            "There is no manifest here or above.",
            "Make an opencontext.yaml, or name its folder with -C.",
        ),
        "context.object_invalid": CodeInfo("error", "An object breaks its rules.", "Correct the object's file."),
        "context.object_not_found": CodeInfo("error", "No object has that id.", "`mkt context list` shows the ids."),
        "context.scopes_not_enforced": CodeInfo(
            "error",
            "A bundle could disclose what the context withholds.",
            "Remove what is not enforced, or give --no-scopes if everybody may read everything.",
        ),
        "context.section_ignored": CodeInfo("info", "A section of the manifest has no effect here.", ""),
        "context.source_skipped": CodeInfo(
            "warning", "A remote source was not checked: the run is offline.", "Run without --offline to check it."
        ),
        "context.unenforced_section": CodeInfo(
            "warning",
            "The manifest restricts something that is not enforced here.",
            "A bundle is refused unless --no-scopes is given, since it could disclose what the section withholds.",
        ),
        "context.unsupported_version": CodeInfo(
            "error", "The manifest is of another major version.", "Upgrade, or write the manifest for this version."
        ),
        "digest-mismatch": CodeInfo(
            "error", "The bytes are not those that were promised.", "Review what changed, then record the new digest."
        ),
        "missing-digest": CodeInfo(
            "error", "The manifest requires a digest and there is none.", "Record the digest of the source."
        ),
        "path-traversal": CodeInfo(
            "error", "A path leads out of the manifest's folder.", "Keep what the context needs inside that folder."
        ),
        "source-unavailable": CodeInfo("error", "No bytes can be had from the URI.", ""),
        "unknown-scheme": CodeInfo("error", "No adapter reads this kind of URI.", "Install an adapter for it."),
        # Documents that a pipeline meets, before they are parsed
        "pipeline.archive_bomb": CodeInfo(
            "warning",
            "An archive would unpack to more than is sane; it was left out.",
            "If you trust it, convert it by itself with `mkt source normalize`, and raise the adapter's limits.",
        ),
        "pipeline.empty": CodeInfo("warning", "A file without bytes was left out.", "Copy or download it again."),
        "pipeline.folder_unreadable": CodeInfo(
            "error", "A folder cannot be listed; what it holds is missing.", "Check the permissions of the folder."
        ),
        "pipeline.link_loop": CodeInfo("warning", "A link leads back to where it is; it was not followed.", ""),
        "pipeline.link_not_followed": CodeInfo(
            "warning", "A link to a folder was not followed.", "Name the folder itself as a source, too."
        ),
        "pipeline.list_malformed": CodeInfo(
            "error", "A line of a list names no document.", "Correct the line: it is a path, a URI or a JSON object."
        ),
        "pipeline.not_a_file": CodeInfo("warning", "A folder, pipe, socket or device was left out.", ""),
        "pipeline.record_invalid": CodeInfo(
            "error",
            "A document holds something that no record can carry.",
            "Report it, with the document if you may; lone surrogates and numbers beyond 64 bits are the usual cause.",
        ),
        "pipeline.too_large": CodeInfo(
            "warning", "A document is larger than the limit; it was left out.", "Raise the limit if you trust it."
        ),
        "pipeline.type_mismatch": CodeInfo(
            "warning",
            "A file is not what its name says; it was left out.",
            "Download it again, or give it the suffix of what it is.",
        ),
        "pipeline.unsupported": CodeInfo(
            "warning",
            "No installed adapter reads what a file's name promises; it was left out.",
            "`mkt source adapters` lists what can be read. Nothing is wrong if it is a cover or the like.",
        ),
        # Storage: where a pipeline's sources lie and its results go
        "storage.denied": CodeInfo(
            "error", "Permissions or credentials do not suffice.", "Correct them, and resume the run."
        ),
        "storage.full": CodeInfo("error", "No space is left.", "Make room, or raise the quota, and resume the run."),
        "storage.not_found": CodeInfo("error", "There is no such file.", "Check the path, or list the source again."),
        "storage.read_only": CodeInfo("error", "The storage can only be read.", "Choose another target."),
        "storage.unavailable": CodeInfo(
            "error", "The storage cannot be reached, or fails.", "Check network, host and disk, and resume the run."
        ),
        "storage.unsafe_name": CodeInfo("error", "A name leads out of the storage.", "Rename the file."),
        "storage.unsupported": CodeInfo("error", "Nothing here can open such a URL.", "Check the scheme of the URL."),
    }
)
