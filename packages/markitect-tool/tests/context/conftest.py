"""Real parts for the adapters: a web server on loopback, Git repositories, SQLite files."""

from __future__ import annotations

import socket
import sqlite3
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from time import sleep

import pytest
from markitect_tool.context.model import AdapterContext
from markitect_tool.context.registry import AdapterRegistry, discover_context_adapters

Answer = Callable[[socket.socket], None]


class Web:
    """A server whose answers are written to the socket as a test says, so that they can break any rule."""

    def __init__(self, ssl_context: ssl.SSLContext | None = None) -> None:
        self.requests: list[str] = []  # each head, as it came in
        self._answers: dict[str, Answer] = {}
        self._ssl_context = ssl_context
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        scheme = "http" if self._ssl_context is None else "https"
        return f"{scheme}://{host}:{self.port}{path}"

    def answer(self, path: str, *parts: bytes | float, head: str = "200 OK", end: bool = True) -> None:
        """Send a status and headers (lines in `head`), then the parts: bytes as they are, numbers as pauses.

        A head gets the right length and `Connection: close` unless it states its own length or encoding.
        """
        body = b"".join(part for part in parts if isinstance(part, bytes))
        known = "content-length" in head.lower() or "transfer-encoding" in head.lower()
        lines = [f"HTTP/1.1 {head}", *([] if known or not end else [f"Content-Length: {len(body)}"])]
        start = "\r\n".join([*lines, "Connection: close", "", ""]).encode()

        def send(connection: socket.socket) -> None:
            connection.sendall(start)
            for part in parts:
                if isinstance(part, bytes):
                    connection.sendall(part)
                else:
                    sleep(part)

        self._answers[path] = send

    def script(self, path: str, answer: Answer) -> None:
        """Let `answer` do whatever it wants with the connection."""
        self._answers[path] = answer

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:  # clients of these tests hang up in the middle
            if self._ssl_context is not None:
                connection = self._ssl_context.wrap_socket(connection, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head:
                block = connection.recv(65536)
                if not block:
                    break
                head += block
            if head:
                self.requests.append(head.decode("latin-1"))
                path = head.split(b" ", 2)[1].decode("latin-1")
                self._answers.get(path, not_found)(connection)


def not_found(connection: socket.socket) -> None:
    """The answer to a path that no test has filled."""
    connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nnothing")


@pytest.fixture
def web() -> Iterator[Web]:
    """A plain HTTP server on loopback."""
    server = Web()
    yield server
    server.close()


@pytest.fixture
def make_web() -> Iterator[Callable[[ssl.SSLContext], Web]]:
    """Starts servers that speak TLS."""
    servers: list[Web] = []

    def make(context: ssl.SSLContext) -> Web:
        servers.append(Web(context))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture(scope="session")
def registry() -> AdapterRegistry:
    """The installed adapters."""
    found = discover_context_adapters()
    assert found.diagnostics == []
    return found


@pytest.fixture
def ctx(tmp_path: Path) -> Callable[..., AdapterContext]:
    """The circumstances of a load from the manifest's folder `tmp_path`; keywords are the adapter's section."""

    def make(dir: Path | None = None, *, offline: bool = False, **config: object) -> AdapterContext:
        return AdapterContext(dir or tmp_path, offline, config)

    return make


@pytest.fixture
def opened(ctx: Callable[..., AdapterContext]) -> Callable[..., AdapterContext]:
    """Circumstances in which a server on loopback may be asked without TLS."""
    return lambda **config: ctx(**{"allow_insecure": True, "allow_private": True, **config})


class Repository:
    """A repository made with the `git` command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.run("init", "-q", "-b", "main")

    def run(self, *arguments: str) -> str:
        settings = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
        ended = subprocess.run(
            ["git", *settings, *arguments], cwd=self.folder, capture_output=True, encoding="utf-8", check=True
        )
        return ended.stdout.strip()

    def commit(self, **files: str) -> str:
        """Write files (`__` stands for `/`, `.md` is added), commit, and return the hash."""
        for name, text in files.items():
            path = self.folder / (name.replace("__", "/") + ".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.run("add", "-A")
        self.run("commit", "-q", "--allow-empty", "-m", "change")
        return self.run("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty repository in the manifest's folder."""
    return Repository(tmp_path)


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[[str], Repository]:
    """Makes repositories below the temporary folder."""
    return lambda name: Repository(tmp_path / name)


@pytest.fixture
def database(tmp_path: Path) -> Callable[..., Path]:
    """Makes a database `context.db` in the manifest's folder by a script."""

    def make(script: str, name: str = "context.db") -> Path:
        path = tmp_path / name
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)
        return path

    return make
