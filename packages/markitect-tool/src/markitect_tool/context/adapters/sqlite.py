"""`sqlite:` URIs: one value of a database in the manifest's folder.

    sqlite://./data/context.db?table=policies&id=refunds&column=body&key=slug

`key` is the column that `id` is looked for in, `id` unless given. Names of tables and columns are taken from the
database's own catalogue and values are bound, so nothing of a URI becomes part of a statement. The database is opened
read-only, and its views run under an authorizer that lets them only read, and under a time cap. The bytes are
`verified`: their origin is known, but rows are not reviewed as files are. Contract: "`sqlite://`".
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic
from urllib.parse import quote

from markitect_tool.context.adapters.file import relative_path
from markitect_tool.context.errors import PathTraversalError, SourceUnavailableError, TooSlowError
from markitect_tool.context.guard import resolve_inside, too_large, unreadable
from markitect_tool.context.model import AdapterContext, AdapterResult, Trust
from markitect_tool.context.settings import Settings
from markitect_tool.context.uri import after_scheme, decoded, malformed
from markitect_tool.context.waiting import attempt
from markitect_tool.named_tuple import NamedTuple

FORM = "sqlite://./folder/name.db?table=TABLE&id=VALUE&column=COLUMN, and &key=COLUMN unless that is `id`."
MAX_BYTES = 5_000_000
TIMEOUT_MS = 10_000
_GRACE_SECONDS = 0.2  # for SQLite to notice the time cap itself
_WAL_VERSION = b"\2"  # at offset 18: who writes needs a write-ahead log
_STEPS = 1_000  # virtual-machine instructions between two looks at the clock
_PERMITTED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})


class _Address(NamedTuple):
    path: str
    table: str
    id: str
    column: str
    key: str


class SqliteAdapter:
    """Reads one value of one row."""

    name = "sqlite"
    schemes = ("sqlite",)
    remote = False

    def load(self, uri: str, ctx: AdapterContext) -> AdapterResult:
        """The value: a blob as it is, text as UTF-8, a number in decimal.

        Raises `MalformedUriError`, `PathTraversalError`, `TooLargeError`, `TooSlowError`, and
        `SourceUnavailableError` when there is no such database, table, column or row, several rows, or NULL.
        """
        address = parse(uri)
        settings = Settings(self.name, ctx.config)
        limit = settings.positive("max_bytes", MAX_BYTES)
        deadline = monotonic() + (ctx.timeout_ms or settings.positive("timeout_ms", TIMEOUT_MS)) / 1000
        path = _database(ctx.dir, address.path)

        def ask() -> tuple[str, bytes]:
            with opened(path, limit, deadline) as connection:
                return _only_row(connection, address)

        try:
            # SQLite looks at the clock between its instructions, and one call of printf() can take half a minute.
            found, error = attempt(ask, max(0.0, deadline - monotonic()) + _GRACE_SECONDS)
        except TimeoutError:
            raise _too_slow(address) from None
        if isinstance(error, sqlite3.Error):
            raise _failure(error, address, limit, deadline) from error
        if error is not None:
            raise error
        assert found is not None
        kind, value = found
        if len(value) > limit:
            raise too_large(f"{address.table}.{address.column}", limit)
        text = kind != "blob"
        return AdapterResult(value, "text/plain; charset=utf-8" if text else None, trust=Trust.VERIFIED)


def parse(uri: str) -> _Address:
    """The parts of a URI, each stated once and none of them empty. Raises `MalformedUriError`."""
    path, _, query = after_scheme(uri, "sqlite", FORM).partition("?")
    given: dict[str, str] = {}
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if name not in ("table", "id", "column", "key") or name in given or not equals:
            raise malformed(uri, f"has the unexpected part {part!r}", FORM)
        given[name] = decoded(value, uri, FORM)
        if not given[name] or "\0" in given[name]:
            raise malformed(uri, f"has no usable value for {name}", FORM)
    for name in ("table", "id", "column"):
        if name not in given:
            raise malformed(uri, f"does not say which {name}", FORM)
    location = relative_path(uri, "sqlite", path, FORM)
    return _Address(location, given["table"], given["id"], given["column"], given.get("key", "id"))


def _database(dir: Path, path: str) -> Path:
    found = resolve_inside(dir, path)
    try:
        mode = found.stat().st_mode
    except FileNotFoundError as error:
        raise SourceUnavailableError(f"There is no database {path!r} in the manifest's folder.", path=path) from error
    except OSError as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(mode):
        raise SourceUnavailableError(f"{path!r} is a folder, pipe or device.", path=path, hint="Name a database.")
    for suffix in ("-wal", "-shm", "-journal"):
        if os.path.islink(f"{found}{suffix}"):  # its pages could be those of another database
            raise PathTraversalError(f"Beside {path!r} the file {found.name}{suffix} is a link.", path=path)
    return found


@contextmanager
def opened(path: Path, limit: int, deadline: float) -> Iterator[sqlite3.Connection]:
    """A connection that can only read, and gives up at `deadline` (monotonic seconds)."""
    location = f"file:{quote(str(path))}?{'immutable=1' if _is_settled(path) else 'mode=ro'}"
    with closing(sqlite3.connect(location, uri=True, timeout=max(0.0, deadline - monotonic()))) as connection:
        connection.text_factory = bytes  # text as it is stored, whether or not it is valid
        connection.execute("PRAGMA query_only=ON")
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA cell_size_check=ON")
        # One byte more than the cap, so that what is too large is told from what is broken.
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(limit + 1, 10_000))
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_progress_handler(lambda: monotonic() > deadline, _STEPS)
        connection.set_authorizer(_reading_until(deadline))
        yield connection


def _is_settled(path: Path) -> bool:
    """Whether a database with a write-ahead log has nothing in that log: opening it as usual would write two files."""
    with suppress(OSError), path.open("rb") as stream:
        return stream.read(19)[18:] == _WAL_VERSION and not os.path.lexists(f"{path}-wal")
    return False


def _reading_until(deadline: float) -> Callable[..., int]:
    """An authorizer that lets statements read and nothing else.

    It looks at the clock too: the progress handler runs only with a statement, but views that are built of views many
    levels deep take their time, and this is asked, while the statement is still being prepared.
    """

    def permit(action: int, *_: str | None) -> int:
        return sqlite3.SQLITE_OK if action in _PERMITTED and monotonic() <= deadline else sqlite3.SQLITE_DENY

    return permit


def _only_row(connection: sqlite3.Connection, address: _Address) -> tuple[str, bytes]:
    """The SQL type and the bytes of the value. Raises `SourceUnavailableError` unless there is exactly one row."""
    table = _table(connection, address.table)
    columns = _columns(connection, table)
    for name in (address.column, address.key):
        if name not in columns:
            raise SourceUnavailableError(
                f"{table!r} has no column {name!r}.", hint=f"Its columns are {', '.join(columns)}."
            )
    column = quoted(address.column)
    rows = connection.execute(
        f"SELECT typeof({column}), CASE typeof({column}) WHEN 'blob' THEN {column} ELSE CAST({column} AS TEXT) END "
        f"FROM {quoted(table)} WHERE {quoted(address.key)} = ? LIMIT 2",
        (address.id,),
    ).fetchall()
    what = f"row of {table!r} with {address.key} = {address.id!r}"
    if not rows:
        raise SourceUnavailableError(f"There is no {what}.", hint="Check the id, or name the column with &key=.")
    if len(rows) > 1:
        raise SourceUnavailableError(f"There is more than one {what}.", hint="Name a unique column with &key=.")
    kind, value = rows[0]
    if value is None:
        raise SourceUnavailableError(f"The {what} has NULL in {address.column}.")
    return kind.decode("ascii"), value


def _table(connection: sqlite3.Connection, wanted: str) -> str:
    """`wanted`, if the catalogue has it. Raises `SourceUnavailableError`."""
    rows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    names = sorted(name.decode("utf-8", "replace") for (name,) in rows)
    if wanted not in names:
        raise SourceUnavailableError(
            f"The database has no table or view {wanted!r}.", hint=f"It has {', '.join(names[:20]) or 'none'}."
        )
    return wanted


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    described = connection.execute(f"SELECT * FROM {quoted(table)} LIMIT 0").description
    return [name for name, *_ in described]


def quoted(identifier: str) -> str:
    """An identifier of the catalogue as a statement takes it."""
    return '"' + identifier.replace('"', '""') + '"'


def _too_slow(address: _Address) -> TooSlowError:
    return TooSlowError(f"The query of {address.table!r} took too long.", hint="Raise timeout_ms, or point at a table.")


def _failure(error: sqlite3.Error, address: _Address, limit: int, deadline: float) -> SourceUnavailableError:
    """The error to report for what SQLite says."""
    if monotonic() > deadline:
        return _too_slow(address)
    if "too big" in str(error):
        return too_large(f"{address.table}.{address.column}", limit)
    return SourceUnavailableError(
        f"{address.path!r} cannot be queried: {error}.", hint="Check that it is a SQLite database."
    )
