"""What an adapter must keep to that offers the text of its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from markitect_tool.errors import SourceError
from markitect_tool.source.messages import SourceReadRequest
from markitect_tool.source.model import SourceAsset
from markitect_tool.source.pages import SourcePages
from markitect_tool.testing.subject import Sample, Subject


class PageRules(Subject):
    """Rules for `source_pages`, on the good sample. They hold for adapters that have it, and are skipped else."""

    def test_every_segment_comes_from_one_of_the_pages(self) -> None:
        paths = [page.path for page in self._pages().source_pages(_request(self.good))]
        segments = self.document(self.good).segments
        assert len(paths) == len(set(paths))
        assert {segment.provenance[0].package_path for segment in segments if segment.provenance} <= set(paths)

    def test_anchors_and_formulas_lie_in_the_text_of_their_page(self) -> None:
        for page in self._pages().source_pages(_request(self.good)):
            assert all(0 <= place <= len(page.text) for place in page.anchors.values())
            bounds = [bound for span in page.formulas for bound in span]
            assert bounds == sorted(set(bounds))
            assert all(0 <= bound <= len(page.text) for bound in bounds)

    def test_pages_of_a_file_are_those_of_its_bytes(self, tmp_path: Path) -> None:
        path = self.good.write(tmp_path)
        placed = SourceReadRequest(SourceAsset(uri=self.good.uri, path=str(path), name=self.good.name))
        pages = self._pages()
        assert list(pages.source_pages(placed)) == list(pages.source_pages(_request(self.good)))

    def test_pages_of_what_is_no_source_are_refused(self) -> None:
        pages = self._pages()
        with pytest.raises(SourceError):
            list(pages.source_pages(_request(Sample(self.good.name, b"\0"))))

    def _pages(self) -> SourcePages:
        adapter = self.descriptor.factory()
        if not isinstance(adapter, SourcePages):
            pytest.skip("the adapter does not offer the text of its pages")
        return adapter


def _request(sample: Sample) -> SourceReadRequest:
    return SourceReadRequest(sample.asset, content=sample.content)
