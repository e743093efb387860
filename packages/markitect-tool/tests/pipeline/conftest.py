"""Fixtures of the pipeline's tests."""

import os

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


@pytest.fixture(scope="session")
def object_store():
    """A server of the protocol of S3, on this machine; its address."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(object_store, monkeypatch):
    """A storage in a new bucket, found as everybody finds theirs: by the environment."""
    import fsspec

    monkeypatch.setenv("AWS_ENDPOINT_URL", object_store)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    name = f"bucket-{os.urandom(6).hex()}"
    fsspec.filesystem("s3").mkdir(name)
    return open_url(f"s3://{name}/library")
