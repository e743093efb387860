"""Fixtures of the pipeline's tests."""

import pytest
from markitect_tool.pipeline.storage import open_url


@pytest.fixture
def put(tmp_path):
    """Write files below the folder of the test; returns its storage."""

    def write(*names, content=b"text"):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return open_url(str(tmp_path))

    return write


@pytest.fixture
def memory():
    """A storage in memory, emptied again."""
    from fsspec.implementations.memory import MemoryFileSystem

    yield open_url("memory://library")
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
