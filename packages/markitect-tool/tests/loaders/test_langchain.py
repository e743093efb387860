"""Documents for LangChain, through LangChain's own types."""

import asyncio

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore
from markitect_tool.errors import SourceError
from markitect_tool.loaders.langchain import MarkitectLoader
from markitect_tool.testing.isolation import run_fresh


@pytest.fixture
def store():
    return InMemoryVectorStore(DeterministicFakeEmbedding(size=16))


def test_segment_is_a_document_with_id_text_and_flat_metadata(log):
    monday = MarkitectLoader(log, uri="log.md").load()[1]
    assert isinstance(monday, Document)
    assert monday.page_content == "## Monday\n\nWind from the west."
    assert monday.id == f"{monday.metadata['document_id']}#seg-0002"
    assert {name: monday.metadata[name] for name in ("source", "order", "heading_path", "title", "line_start")} == {
        "source": "log.md",
        "order": 1,
        "heading_path": "Harbour log / Monday",
        "title": "Harbour log",
        "line_start": 5,
    }
    assert {type(value) for value in monday.metadata.values()} == {str, int}


def test_text_is_where_the_metadata_says(log):
    markdown = log.read_bytes()
    for document in MarkitectLoader(log).load():
        start, end = document.metadata["byte_start"], document.metadata["byte_end"]
        assert markdown[start:end].decode() == document.page_content


def test_ids_stay_and_differ(log):
    first, second = ([document.id for document in MarkitectLoader(log).load()] for _ in range(2))
    assert first == second
    assert len(set(first)) == 3


def test_documents_come_one_at_a_time_and_later(nowhere):
    documents = MarkitectLoader(nowhere).lazy_load()
    with pytest.raises(SourceError):
        next(documents)


def test_documents_come_asynchronously(log):
    async def load():
        return [document async for document in MarkitectLoader(log).alazy_load()]

    assert [document.metadata["order"] for document in asyncio.run(load())] == [0, 1, 2]


def test_bytes_are_a_source():
    (document,) = MarkitectLoader(b"Low water", media_type="text/plain", uri="tide:today").load()
    assert (document.page_content, document.metadata["source"]) == ("Low water", "tide:today")


def test_options_reach_the_adapter(log):
    assert len(MarkitectLoader(log, options={"segment_level": 0}).load()) == 1


def test_store_finds_a_segment_and_its_place(log, store):
    store.add_documents(MarkitectLoader(log).load())
    (found,) = store.similarity_search(
        "wind", k=1, filter=lambda document: document.metadata["heading_path"].endswith("Monday")
    )
    assert found.page_content.startswith("## Monday")


def test_indexing_twice_changes_nothing(log, store):
    manager = InMemoryRecordManager("harbour")
    manager.create_schema()
    runs = [
        index(MarkitectLoader(log), manager, store, cleanup="full", key_encoder="sha256", source_id_key="source")
        for _ in range(2)
    ]
    assert [(run["num_added"], run["num_skipped"]) for run in runs] == [(3, 0), (0, 3)]


def test_source_that_cannot_be_read_is_one_error_with_its_code(nowhere):
    with pytest.raises(SourceError) as caught:
        MarkitectLoader(nowhere).load()
    assert caught.value.diagnostic.code == "source.not_found"


def test_diagnostics_are_told(tmp_path):
    heard = []
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    MarkitectLoader(tmp_path / "a.txt", report=heard.append).load()
    assert [entry.code for entry in heard] == ["source.encoding_recovered"]


def test_blank_source_gives_no_document(tmp_path):
    (tmp_path / "a.txt").write_text(" \n")
    assert MarkitectLoader(tmp_path / "a.txt").load() == []


def test_without_langchain_the_import_says_what_to_install():
    code = "try:\n import markitect_tool.loaders.langchain\nexcept ImportError as error:\n print(error)"
    assert "pip install markitect-tool[langchain]" in run_fresh(code, hide=["langchain_core"]).stdout
