"""Documents for LlamaIndex, through LlamaIndex's own types."""

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from llama_index.core import MockEmbedding, SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.node_parser import MarkdownNodeParser, TokenTextSplitter
from llama_index.core.schema import Document, MetadataMode
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters
from markitect_tool.errors import SourceError
from markitect_tool.loaders.llamaindex import MarkitectReader
from markitect_tool.testing.isolation import run_fresh


def test_segment_is_a_document_with_id_text_and_flat_metadata(log):
    monday = MarkitectReader().load_data(log, uri="log.md")[1]
    assert isinstance(monday, Document)
    assert monday.text == "## Monday\n\nWind from the west."
    assert monday.id_ == f"{monday.metadata['document_id']}#seg-0002"
    assert (monday.metadata["source"], monday.metadata["heading_path"]) == ("log.md", "Harbour log / Monday")
    assert {type(value) for value in monday.metadata.values()} == {str, int}


def test_model_and_embedding_see_only_what_is_worth_reading(log):
    evening = MarkitectReader().load_data(log)[2]
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        head = evening.get_content(metadata_mode=mode).partition("\n\n")[0]
        assert head.splitlines() == ["heading_path: Harbour log / Monday / Evening", "title: Harbour log"]


def test_documents_come_later(nowhere):
    documents = iter(MarkitectReader().lazy_load_data(nowhere))
    with pytest.raises(SourceError) as caught:
        next(documents)
    assert caught.value.diagnostic.code == "source.not_found"


def test_splitter_keeps_the_place_of_each_piece(log):
    log.write_text("# One\n\n" + "Low water at nine. " * 60 + "\n\n# Two\n\nSalt.")
    documents = MarkitectReader().load_data(log)
    nodes = TokenTextSplitter(chunk_size=128, chunk_overlap=0).get_nodes_from_documents(documents)
    assert len(nodes) > 3
    assert [node.metadata["segment_id"] for node in nodes] == ["seg-0001"] * (len(nodes) - 1) + ["seg-0002"]
    assert {node.ref_doc_id for node in nodes} == {document.id_ for document in documents}


def test_parser_of_markdown_finds_one_section_in_a_segment(log):
    documents = MarkitectReader().load_data(log)
    nodes = MarkdownNodeParser().get_nodes_from_documents(documents)
    assert [node.get_content() for node in nodes] == [document.text for document in documents]


def test_index_answers_with_a_segment_and_its_place(log):
    index = VectorStoreIndex.from_documents(MarkitectReader().load_data(log), embed_model=MockEmbedding(embed_dim=4))
    monday = MetadataFilters(filters=[MetadataFilter(key="segment_id", value="seg-0002")])
    (found,) = index.as_retriever(filters=monday).retrieve("wind")
    assert found.text.startswith("## Monday")
    assert found.metadata["line_start"] == 5


def test_ids_stay_so_that_a_refresh_changes_nothing(log):
    documents = MarkitectReader().load_data(log)
    index = VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=4))
    assert index.refresh_ref_docs(MarkitectReader().load_data(log)) == [False] * 3


def test_folder_is_read_with_its_own_metadata(log):
    reader = SimpleDirectoryReader(log.parent, file_extractor={".md": MarkitectReader()})
    documents = reader.load_data()
    assert [document.metadata["segment_id"] for document in documents] == ["seg-0001", "seg-0002", "seg-0003"]
    assert {document.metadata["file_name"] for document in documents} == {"log.md"}


def test_file_that_is_not_on_this_machine_is_read():
    files = MemoryFileSystem()
    files.pipe_file("/harbour/log.md", b"# Log\n\nLow water.")
    (document,) = MarkitectReader().load_data("/harbour/log.md", fs=files)
    assert (document.text, document.metadata["source"]) == ("# Log\n\nLow water.", "memory:///harbour/log.md")


def test_diagnostics_are_told(tmp_path):
    heard = []
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    MarkitectReader(report=heard.append).load_data(tmp_path / "a.txt")
    assert [entry.code for entry in heard] == ["source.encoding_recovered"]


def test_without_llamaindex_the_import_says_what_to_install():
    code = "try:\n import markitect_tool.loaders.llamaindex\nexcept ImportError as error:\n print(error)"
    assert "pip install markitect-tool[llamaindex]" in run_fresh(code, hide=["llama_index"]).stdout
