"""`sqlite:`: one value of one row, whatever the URI and the database try."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from time import monotonic
from urllib.parse import quote

import pytest
from markitect_tool.context.adapters.sqlite import opened
from markitect_tool.context.errors import (
    MalformedUriError,
    PathTraversalError,
    SourceUnavailableError,
    TooLargeError,
    TooSlowError,
)
from markitect_tool.context.model import Trust

POLICIES = """
CREATE TABLE policies (id TEXT, slug TEXT, number INTEGER, body TEXT, scan BLOB, price REAL);
INSERT INTO policies VALUES ('refunds', 'r', 1, 'Thirty days – é.', x'00FF', 1.5), ('twice', 'b', 2, 'one', NULL, NULL),
  ('twice', 'c', 3, '', NULL, NULL);
CREATE TABLE "odd ""name" ("a ""column" TEXT, id TEXT);
INSERT INTO "odd ""name" VALUES ('odd', 'x');
CREATE VIEW published AS SELECT id, upper(body) AS body FROM policies WHERE number = 1;
"""


@pytest.fixture
def load(registry, database, ctx):
    """Loads from a database with some policies and whatever a script adds."""

    def run(query, script="", **config):
        database(POLICIES + script)
        return registry.load(f"sqlite://./context.db?{query}", ctx(**config))

    return run


def test_text_is_utf8_and_verified(load):
    result = load("table=policies&id=refunds&column=body")
    assert (result.text(), result.content_type) == ("Thirty days – é.", "text/plain; charset=utf-8")
    assert result.trust is Trust.VERIFIED


def test_key_names_the_column_to_look_in(load):
    assert load("table=policies&id=r&column=body&key=slug").text() == "Thirty days – é."


def test_key_may_be_a_number(load):
    assert load("table=policies&id=1&column=body&key=number").text() == "Thirty days – é."


def test_blob_is_as_it_is(load):
    result = load("table=policies&id=refunds&column=scan")
    assert (result.content, result.content_type) == (b"\x00\xff", None)


@pytest.mark.parametrize(("column", "text"), [("number", "1"), ("price", "1.5")])
def test_number_is_its_digits(load, column, text):
    assert load(f"table=policies&id=refunds&column={column}").text() == text


def test_view_is_read(load):
    assert load("table=published&id=refunds&column=body").text() == "THIRTY DAYS – é."


def test_odd_names_of_the_catalogue_are_read(load):
    table, column = quote('odd "name'), quote('a "column')
    assert load(f"table={table}&id=x&column={column}").text() == "odd"


def test_value_that_is_not_valid_text_comes_as_its_bytes(load):
    script = "INSERT INTO policies (id, body) VALUES ('raw', CAST(x'FF41' AS TEXT));"
    assert load("table=policies&id=raw&column=body", script).content == b"\xffA"


def test_database_in_utf16_gives_utf8(registry, database, ctx):
    database("PRAGMA encoding='UTF-16'; CREATE TABLE t (id, body); INSERT INTO t VALUES ('a', 'é');")
    assert registry.load("sqlite:context.db?table=t&id=a&column=body", ctx()).text() == "é"


class TestWhatIsNotThere:
    @pytest.mark.parametrize(
        ("query", "message"),
        [
            ("table=policies&id=nobody&column=body", "no row"),
            ("table=policies&id=twice&column=body", "more than one row"),
            ("table=policies&id=b&column=scan&key=slug", "NULL"),
            ("table=policies&id=c&column=body&key=slug", "empty"),
            ("table=nothing&id=refunds&column=body", "no table"),
            ("table=POLICIES&id=refunds&column=body", "no table"),
            ("table=policies&id=refunds&column=nothing", "no column"),
            ("table=policies&id=refunds&column=body&key=nothing", "no column"),
        ],
    )
    def test_it_is_an_error(self, load, query, message):
        with pytest.raises(SourceUnavailableError, match=message):
            load(query)

    def test_missing_database_is_not_made(self, registry, ctx, tmp_path):
        with pytest.raises(SourceUnavailableError, match="no database"):
            registry.load("sqlite:missing.db?table=a&id=b&column=c", ctx())
        assert list(tmp_path.iterdir()) == []

    def test_file_that_is_no_database(self, registry, ctx, tmp_path):
        (tmp_path / "a.db").write_bytes(b"no database at all" * 99)
        with pytest.raises(SourceUnavailableError, match="cannot be queried"):
            registry.load("sqlite:a.db?table=a&id=b&column=c", ctx())

    def test_folder_is_no_database(self, registry, ctx, tmp_path):
        (tmp_path / "sub").mkdir()
        with pytest.raises(SourceUnavailableError, match="folder"):
            registry.load("sqlite:sub?table=a&id=b&column=c", ctx())


class TestAttacks:
    @pytest.mark.parametrize(
        "value",
        [
            "refunds'; DROP TABLE policies; --",
            "' OR '1'='1",
            'refunds" OR "1"="1',
            "refunds' UNION SELECT body FROM policies --",
            "%",
        ],
    )
    def test_statement_in_the_id_is_only_a_value(self, load, tmp_path, value):
        with pytest.raises(SourceUnavailableError, match="no row"):
            load(f"table=policies&id={quote(value)}&column=body")
        with closing(sqlite3.connect(tmp_path / "context.db")) as connection:
            assert connection.execute("SELECT count(*) FROM policies").fetchone() == (3,)

    @pytest.mark.parametrize(
        "name",
        [
            "policies; DROP TABLE policies",
            '"policies"',
            "[policies]",
            "`policies`",
            "main.policies",
            "policies--",
            "(SELECT * FROM policies)",
            'policies" WHERE 1=1 --',
            "sqlite_master",
            "sqlite_schema",
            "pragma_database_list",
            "json_each",
        ],
    )
    def test_table_that_the_catalogue_does_not_have_is_refused(self, load, name):
        with pytest.raises(SourceUnavailableError, match="no table"):
            load(f"table={quote(name)}&id=refunds&column=body")

    @pytest.mark.parametrize(
        "name", ['"body"', "[body]", "body, slug", "(SELECT 1)", "load_extension('x')", "rowid", "*"]
    )
    @pytest.mark.parametrize("place", ["column", "key"])
    def test_column_that_the_table_does_not_have_is_refused(self, load, name, place):
        with pytest.raises(SourceUnavailableError, match="no column"):
            load(f"table=policies&id=refunds&{place}={quote(name)}{'&column=body' if place == 'key' else ''}")

    @pytest.mark.parametrize(
        "statement",
        [
            "ATTACH DATABASE 'other.db' AS other",
            "ATTACH DATABASE ':memory:' AS other",
            "DELETE FROM policies",
            "CREATE TABLE more (a)",
            "CREATE TEMP TABLE more (a)",
            "PRAGMA query_only=OFF",
            "PRAGMA writable_schema=ON",
            "VACUUM INTO 'copy.db'",
            "BEGIN IMMEDIATE",
        ],
    )
    def test_connection_can_do_nothing_but_read(self, database, tmp_path, statement):
        path = database(POLICIES)
        with opened(path, 1000, monotonic() + 10) as connection, pytest.raises(sqlite3.Error):
            connection.execute(statement)
        assert [entry.name for entry in tmp_path.iterdir()] == ["context.db"]

    def test_write_ahead_log_is_read_and_none_is_left_behind(self, registry, database, ctx, tmp_path):
        path = database(f"PRAGMA journal_mode=WAL; {POLICIES}")
        uri = "sqlite:context.db?table=policies&id=r&column=body&key=slug"
        assert [entry.name for entry in tmp_path.iterdir()] == ["context.db"]
        assert registry.load(uri, ctx()).text() == "Thirty days – é."
        assert [entry.name for entry in tmp_path.iterdir()] == ["context.db"]
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("UPDATE policies SET body = 'in the log'")
            writer.commit()
            assert (tmp_path / "context.db-wal").stat().st_size
            assert registry.load(uri.replace("=r&", "=refunds&").replace("slug", "id"), ctx()).text() == "in the log"

    @pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
    def test_log_of_another_database_is_refused(self, registry, database, ctx, tmp_path, suffix):
        database(f"PRAGMA journal_mode=WAL; {POLICIES}")
        (tmp_path / "private").mkdir()
        private = database(f"PRAGMA journal_mode=WAL; {POLICIES}", "private/other.db")
        with closing(sqlite3.connect(private)) as writer:
            writer.execute("UPDATE policies SET body = 'secret'")
            writer.commit()
            (tmp_path / f"context.db{suffix}").symlink_to(f"{private}{suffix}")
            with pytest.raises(PathTraversalError, match=f"context.db{suffix} is a link"):
                registry.load("sqlite:context.db?table=policies&id=r&column=body&key=slug", ctx())

    def test_database_is_left_as_it_was(self, registry, database, ctx, tmp_path):
        path = database(POLICIES)
        before = path.read_bytes()
        registry.load("sqlite:context.db?table=policies&id=refunds&column=body", ctx())
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_view_that_loops_is_stopped(self, load):
        endless = (
            "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT i AS id, 'x' AS body FROM n;"
        )
        started = monotonic()
        with pytest.raises(TooSlowError):
            load("table=endless&id=-1&column=body", endless, timeout_ms=300)
        assert monotonic() - started < 3

    def test_views_built_of_views_are_stopped_while_they_are_expanded(self, load):
        nested = "CREATE VIEW v0 AS SELECT 1 AS id, 'x' AS body;" + "".join(
            f"CREATE VIEW v{n} AS SELECT a.id, a.body FROM v{n - 1} a, v{n - 1} b;" for n in range(1, 16)
        )
        started = monotonic()
        with pytest.raises(TooSlowError):
            load("table=v15&id=1&column=body", nested, timeout_ms=300)
        assert monotonic() - started < 5

    def test_view_that_makes_a_huge_value_is_stopped(self, load):
        huge = "CREATE VIEW huge AS SELECT '1' AS id, hex(zeroblob(400000000)) AS body;"
        with pytest.raises(TooLargeError):
            load("table=huge&id=1&column=body", huge)

    def test_value_above_the_cap_is_refused(self, registry, database, ctx):
        database("CREATE TABLE t (id, body); INSERT INTO t VALUES ('1', 'twenty characters ok');")
        uri = "sqlite:context.db?table=t&id=1&column=body"
        assert len(registry.load(uri, ctx(max_bytes=20)).content) == 20
        with pytest.raises(TooLargeError):
            registry.load(uri, ctx(max_bytes=19))

    def test_locked_database_is_waited_for_only_so_long(self, registry, database, ctx):
        path = database(POLICIES)
        started = monotonic()
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("BEGIN EXCLUSIVE")
            with pytest.raises(SourceUnavailableError):
                registry.load("sqlite:context.db?table=policies&id=refunds&column=body", ctx(timeout_ms=300))
        assert monotonic() - started < 3

    @pytest.mark.parametrize(
        "path", ["../context.db", "%2e%2e/context.db", "//host/context.db", "/context.db", "context.db%00", "///x.db"]
    )
    def test_path_out_of_the_folder_is_refused(self, registry, ctx, database, tmp_path, path):
        database(POLICIES)
        (tmp_path / "inner").mkdir()
        with pytest.raises(PathTraversalError):
            registry.load(f"sqlite:{path}?table=policies&id=refunds&column=body", ctx(tmp_path / "inner"))

    def test_link_out_of_the_folder_is_refused(self, registry, ctx, database, tmp_path):
        path = database(POLICIES)
        (tmp_path / "inner").mkdir()
        (tmp_path / "inner/link.db").symlink_to(path)
        with pytest.raises(PathTraversalError):
            registry.load("sqlite:link.db?table=policies&id=refunds&column=body", ctx(tmp_path / "inner"))

    def test_parameters_of_sqlite_in_the_name_are_part_of_the_name(self, registry, ctx, database, tmp_path):
        database(POLICIES)
        with pytest.raises(SourceUnavailableError, match="no database"):
            registry.load("sqlite:context.db%3Fmode=rwc?table=policies&id=refunds&column=body", ctx())
        assert [entry.name for entry in tmp_path.iterdir()] == ["context.db"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?",
        "?table=a&id=b",
        "?table=a&column=c",
        "?id=b&column=c",
        "?table=a&id=b&column=c&column=d",
        "?table=a&id=b&column=c&where=1",
        "?table=a&id=&column=c",
        "?table=a&id=b%00&column=c",
        "?table=a&id=b&column=c&",
        "?table=a&id=b&column=c#d",
        "?table=a&id=%ff&column=c",
    ],
)
def test_malformed_uri_is_refused_with_the_form(registry, ctx, query):
    with pytest.raises(MalformedUriError) as caught:
        registry.load(f"sqlite:context.db{query}", ctx())
    assert "table=TABLE" in caught.value.hint


def test_several_threads_read_one_database(registry, database, ctx):
    database(POLICIES)
    uri = "sqlite:context.db?table=policies&id=refunds&column=body"
    results = registry.load_many([(uri, ctx())] * 40, limit=8)
    assert {result.text() for result in results} == {"Thirty days – é."}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipe_in_place_of_the_journal_is_given_up(registry, database, ctx, tmp_path):
    database(POLICIES)
    os.mkfifo(tmp_path / "context.db-journal")
    with pytest.raises(TooSlowError):
        registry.load("sqlite:context.db?table=policies&id=refunds&column=body", ctx(timeout_ms=100))


def test_one_instruction_that_takes_long_is_given_up(load):
    before = monotonic()
    with pytest.raises(TooSlowError):
        load(
            "table=wide&id=a&column=body",
            "CREATE VIEW wide AS SELECT 'a' AS id, printf('%.*c', 500000000, 'x') AS body;",
            timeout_ms=100,
        )
    assert monotonic() - before < 3
