"""The head of a report: whose it is, what came of it, and the figures that matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from markitect_tool.diagnostics import Diagnostic
from markitect_tool.reports.contents import Contents
from markitect_tool.reports.findings import brief, totals
from markitect_tool.reports.ledger import Ledger
from markitect_tool.reports.shell import count, number, phrase, share, text
from markitect_tool.source.model import NormalizedMarkdownDocument

_LOSSES = {
    "none": "no loss was found",
    "low": "links, pictures or the look of tables suffered",
    "medium": "text may be wrong or has lost structure",
    "high": "text is missing",
    "unknown": "not measured",
}
_MOST = 40  # of creators, of identifiers

Tile = tuple[str, str, str]  # name, figure, remark


def opening(eyebrow: str, title: str, by: str, verdict: str, tiles: Iterable[Tile]) -> Iterator[str]:
    """The head of any report."""
    yield '<a class="skip" href="#main">Skip to the report</a><header class="top">'
    yield f'<p class="eyebrow">{text(eyebrow)}</p>'
    yield f"<h1>{phrase(brief(title))}</h1>"
    if by:
        yield f'<p class="by">{phrase(brief(by))}</p>'
    yield f'<p class="verdict">{text(verdict)}</p>'
    figures = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(figure)}{f'<small>{text(remark)}</small>' if remark else ''}</dd></div>"
        for name, figure, remark in tiles
    )
    yield f'<dl class="tiles">{figures}</dl></header>' if figures else "</header>"


def head(
    document: NormalizedMarkdownDocument,
    diagnostics: Sequence[Diagnostic],
    ledger: Ledger | None,
    contents: Contents,
    *,
    compared: bool,
) -> Iterator[str]:
    """The head of the report on a document."""
    metadata, quality = document.metadata, document.quality
    found = totals(diagnostics)
    tiles: list[Tile] = []
    if ledger is not None:
        tiles.append(
            ("Text kept", share(ledger.kept, ledger.total), f"{number(ledger.kept)} of {number(ledger.total)}")
        )
    if compared:
        where = f"in {count(contents.differing, 'segment')}" if contents.differing else "in any paragraph"
        tiles.append(("Differences", number(contents.differences) if contents.differences else "none", where))
    warnings = found["warning"]
    tiles += [
        ("Segments", number(len(contents)), count(len(document.markdown), "character")),
        ("Warnings", number(warnings) if warnings else "none", count(found["info"], "note")),
        ("Lossiness", quality.lossiness, _LOSSES[quality.lossiness]),
    ]
    if quality.confidence is not None:
        tiles.append(("Confidence", f"{quality.confidence:g}", "of 1"))
    return opening(
        "From source to Markdown",
        metadata.title or document.asset.name or document.asset.uri,
        " · ".join(metadata.creators[:_MOST]),
        " ".join(_verdict(ledger, contents, compared)),
        tiles,
    )


def failure_head(name: str, diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """The head of the report on a source that could not be converted, up to the beginning of its main part."""
    errors = [entry for entry in diagnostics if entry.severity == "error"]
    verdict = f"No Markdown was made. {brief(errors[0].message)}" if errors else "No Markdown was made."
    yield from opening("From source to Markdown", name, "", verdict, ())
    yield '<div class="frame"><main id="main">'


def facts(document: NormalizedMarkdownDocument) -> str:
    """What the source says about itself, and what identifies it."""
    metadata, asset = document.metadata, document.asset
    adapter = " ".join(str(document.adapter[key]) for key in ("id", "version") if key in document.adapter)
    pairs: list[tuple[str, object]] = [
        ("Title", metadata.title),
        ("Creators", "; ".join(metadata.creators[:_MOST])),
        ("Language", metadata.language),
        ("Publisher", metadata.publisher),
        ("Published", metadata.publication_date),
        ("Rights", metadata.rights),
        ("Address", metadata.source_url),
        *((f"Identifier {name}", value) for name, value in list(metadata.identifiers.items())[:_MOST]),
        ("File", asset.name),
        ("URI", asset.uri),
        ("Size", f"{number(asset.size)} bytes" if asset.size is not None else None),
        ("Digest", asset.digest),
        ("Read by", adapter),
        ("Document id", document.document_id),
    ]
    shown = "".join(
        f"<dt>{phrase(brief(name))}</dt><dd>{phrase(brief(str(value)))}</dd>" for name, value in pairs if value
    )
    return f'<dl class="facts">{shown}</dl>'


def _verdict(ledger: Ledger | None, contents: Contents, compared: bool) -> Iterator[str]:
    if ledger is not None and ledger.unaccounted:
        yield f"The ledger does not balance: {count(abs(ledger.unaccounted), 'character')} are not accounted for."
    elif ledger is not None and ledger.kept == ledger.total:
        yield "Every character of the source is in the Markdown."
    elif ledger is not None:
        yield "Every character of the source is in the Markdown, or was left out for a reason that is named below."
    if compared and contents.differences:
        yield (
            f"Compared word by word with the pages of the source, {count(contents.differences, 'paragraph')} in "
            f"{count(contents.differing, 'segment')} {'differs' if contents.differences == 1 else 'differ'}."
        )
    elif compared:
        yield "Compared word by word with the pages of the source, no paragraph differs."
    if contents.uncompared:
        yield f"{count(contents.uncompared, 'segment')} could not be compared."
