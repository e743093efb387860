"""What an adapter must keep to that offers the bytes of its attachments."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path

import pytest

from markitect_tool.canonical import digest_bytes
from markitect_tool.errors import SourceError
from markitect_tool.source.attachments import SourceAttachmentReader, attachment_path
from markitect_tool.source.messages import SourceReadRequest
from markitect_tool.source.model import SourceAsset
from markitect_tool.testing.subject import Sample, Subject


class AttachmentRules(Subject):
    """Rules for `open_attachments`, on the good sample. They hold for adapters that have it, and are skipped else."""

    def test_attachments_in_the_source_have_bytes(self) -> None:
        document = self.document(self.good)
        inside = [entry for entry in document.attachments if attachment_path(document, entry) is not None]
        with self._reader().open_attachments(_request(self.good)) as read:
            contents = {entry.uri: read(entry) for entry in inside}
        sizes = {entry.uri: entry.size for entry in inside if entry.size is not None}
        digests = {entry.uri: entry.digest for entry in inside if entry.digest is not None}
        assert {uri: len(contents[uri]) for uri in sizes} == sizes
        assert {uri: digest_bytes(contents[uri]) for uri in digests} == digests

    def test_attachment_from_a_file_is_that_from_bytes(self, tmp_path: Path) -> None:
        attachments = [
            entry for entry in self.document(self.good).attachments if entry.uri.startswith(f"{self.good.uri}#")
        ]
        path = self.good.write(tmp_path)
        placed = SourceReadRequest(SourceAsset(uri=self.good.uri, path=str(path), name=self.good.name))
        reader = self._reader()
        with reader.open_attachments(placed) as from_file, reader.open_attachments(_request(self.good)) as from_bytes:
            assert [from_file(entry) for entry in attachments] == [from_bytes(entry) for entry in attachments]
        assert [entry.name for entry in tmp_path.iterdir()] == [self.good.name]

    def test_what_the_source_does_not_hold_is_refused(self) -> None:
        strange = [
            SourceAsset(uri=f"{self.good.uri}#no/such/thing.png", metadata={"member": "no/such/thing.png"}),
            SourceAsset(uri=f"{self.good.uri}#../thing.png", metadata={"member": "../thing.png"}),
            SourceAsset(uri="https://example.org/thing.png", metadata={"remote": True}),
        ]
        with self._reader().open_attachments(_request(self.good)) as read:
            for entry in strange:
                with pytest.raises(SourceError):
                    read(entry)

    def test_what_is_no_source_is_refused(self) -> None:
        reader, nothing = self._reader(), Sample(self.good.name, b"\0")
        with pytest.raises(SourceError), reader.open_attachments(_request(nothing)):
            pass

    def test_source_is_closed_after_its_attachments(self, tmp_path: Path) -> None:
        path = self.good.write(tmp_path)
        placed = SourceReadRequest(SourceAsset(uri=self.good.uri, path=str(path), name=self.good.name))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ResourceWarning)
            with self._reader().open_attachments(placed):
                pass
            gc.collect()
        assert [str(entry.message) for entry in caught if entry.category is ResourceWarning] == []

    def _reader(self) -> SourceAttachmentReader:
        adapter = self.descriptor.factory()
        if not isinstance(adapter, SourceAttachmentReader):
            pytest.skip("the adapter does not offer the bytes of attachments")
        return adapter


def _request(sample: Sample) -> SourceReadRequest:
    return SourceReadRequest(sample.asset, content=sample.content)
