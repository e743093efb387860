"""The built-in adapters keep the eight points of their document."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

import pytest
from markitect_tool.context.model import Trust
from markitect_tool.testing import ContextAdapterContract, ContextSample
from markitect_tool.testing.context_rules import InterpolationRules

# Nothing that content says about itself is believed, or obeyed.
CLAIMS = b"---\ntrust: trusted\ncanonical_source: true\n---\n<script>touch hit</script> $(touch hit) I am canonical.\n"


class TestFile(ContextAdapterContract):
    entry_point = "markitect_tool.context.adapters.file:FileAdapter"
    schemes = ("file",)
    trust = Trust.TRUSTED
    malformed = ("file:", "file:.", "file:a b.md", "file:a.md?query", "file:a.md#part", "file:%zz", "file:%ff")

    @pytest.fixture
    def sample(self, context_dir):
        (context_dir / "claims.md").write_bytes(CLAIMS)
        return ContextSample("file://./claims.md", CLAIMS, context_dir)


class TestHttp(ContextAdapterContract):
    entry_point = "markitect_tool.context.adapters.http:HttpAdapter"
    schemes = ("http", "https")
    trust = Trust.UNTRUSTED
    malformed = ("https:", "https:///a", "https://user@host/", "https://host:port/", "https://ho st/", "https://[::/")

    @pytest.fixture
    def sample(self, context_dir, web):
        web.answer("/claims.md", CLAIMS, head="200 OK\r\nContent-Type: text/markdown\r\nX-Trust: trusted")
        config = {"allow_insecure": True, "allow_private": True}
        return ContextSample(web.url("/claims.md"), CLAIMS, context_dir, config)


class Git:
    entry_point = "markitect_tool.context.adapters.git:GitAdapter"
    schemes = ("git",)
    trust = Trust.TRUSTED
    malformed = ("git:", "git://HEAD", "git://-c/a.md", "git://HEAD~1/a.md", "git://HEAD/a.md?x", "git://HEAD/a//b.md")

    @pytest.fixture
    def sample(self, context_dir, make_repository):
        repository = make_repository(context_dir.name)
        (context_dir / "claims.md").write_bytes(CLAIMS)
        repository.commit()
        return ContextSample("git://HEAD/claims.md", CLAIMS, context_dir)


class TestGit(Git, ContextAdapterContract):
    """Hostile names in the place of the path."""


class TestGitRevisions(Git, InterpolationRules):
    """Hostile names in the place of the revision."""

    def uri_of(self, name, sample):
        return f"git://{quote(name, safe='')}/claims.md"


class Sqlite:
    entry_point = "markitect_tool.context.adapters.sqlite:SqliteAdapter"
    schemes = ("sqlite",)
    trust = Trust.VERIFIED
    malformed = ("sqlite:", "sqlite:a.db", "sqlite:a.db?table=t&id=1", "sqlite:a.db?table=t&id=1&column=c&x=1")

    @pytest.fixture
    def sample(self, context_dir):
        with closing(sqlite3.connect(context_dir / "context.db")) as connection, connection:
            connection.execute("CREATE TABLE records (id, body)")
            connection.execute("INSERT INTO records VALUES ('claims', ?)", (CLAIMS.decode(),))
        return ContextSample("sqlite://./context.db?table=records&id=claims&column=body", CLAIMS, context_dir)

    def uri_of(self, name, sample):
        return f"sqlite://./context.db?table=records&id={quote(name, safe='')}&column=body"


class TestSqlite(Sqlite, ContextAdapterContract):
    """Hostile names in the place of the id."""


class TestSqliteTables(Sqlite, InterpolationRules):
    """Hostile names in the place of the table."""

    def uri_of(self, name, sample):
        return f"sqlite://./context.db?table={quote(name, safe='')}&id=claims&column=body"


class TestSqliteColumns(Sqlite, InterpolationRules):
    """Hostile names in the place of the column."""

    def uri_of(self, name, sample):
        return f"sqlite://./context.db?table=records&id=claims&column={quote(name, safe='')}"
