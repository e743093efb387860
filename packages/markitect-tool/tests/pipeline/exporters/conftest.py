"""Documents to export."""

import pytest
from markitect_tool.canonical import digest_bytes
from markitect_tool.pipeline.records import Classification, DocumentRecord, ParserInput, Provenance
from markitect_tool.pipeline.storage import open_url
from markitect_tool.source.model import (
    NormalizationQuality,
    NormalizedMarkdownDocument,
    NormalizedMarkdownSegment,
    SourceAsset,
    SourceMetadata,
    SourceProvenance,
)


@pytest.fixture
def record():
    """A record of a document with a segment for each text; a text that begins with `# ` has that heading."""

    def make(key="emma.epub", *texts, modified_ns=None):
        content = "".join(texts).encode()
        asset = SourceAsset(f"file:///{key}", digest=digest_bytes(content), mtime_ns=modified_ns)
        document = NormalizedMarkdownDocument.assemble(
            asset=asset,
            adapter_id="test.adapter",
            adapter_version="1",
            options={},
            segments=[
                NormalizedMarkdownSegment(
                    f"s{order}",
                    order,
                    text,
                    heading=text.partition("\n")[0][2:] if text.startswith("# ") else None,
                    heading_level=1 if text.startswith("# ") else None,
                    anchors=[f"a{order}"],
                    provenance=[SourceProvenance(asset.uri, source_href=f"{order}.xhtml", page=str(order + 1))],
                )
                for order, text in enumerate(texts)
            ],
            quality=NormalizationQuality("low", 0.5),
            metadata=SourceMetadata(title="Emma", creators=["Jane Austen"], language="en", identifiers={"isbn": "1"}),
        )
        given = ParserInput(
            content=content,
            provenance=Provenance(
                uri=asset.uri,
                key=key,
                digest=asset.digest,
                size=len(content),
                source="folder",
                modified_ns=modified_ns,
            ),
            classification=Classification(media_type="application/epub+zip", textual=False),
        )
        return DocumentRecord.of(given, document)

    return make


@pytest.fixture
def target(tmp_path):
    return open_url(str(tmp_path / "out"))


@pytest.fixture
def files():
    """The files of a target and what is in them; not the fragments."""

    def read(storage):
        return {file.name: storage.read(file.name) for file in storage.list() if not file.name.startswith(".")}

    return read
