"""The tables of a checkpoint, as named steps: each version of the file is the one before it and one step more."""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x4D6B7450  # "MktP"; SQLite keeps it at byte 68 of the file, and `file` can show it

_FIRST = """
CREATE TABLE documents (
    key TEXT PRIMARY KEY,
    uri TEXT NOT NULL,
    status TEXT NOT NULL,
    digest TEXT,
    fingerprint TEXT NOT NULL,
    size INTEGER,
    modified_ns INTEGER,
    title TEXT,
    seconds REAL NOT NULL,
    peak_bytes INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    warnings INTEGER NOT NULL,
    outputs TEXT NOT NULL,
    diagnostics TEXT NOT NULL,
    made INTEGER NOT NULL,
    seen INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE kept (key TEXT PRIMARY KEY, stage TEXT NOT NULL, record BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE merged (path TEXT PRIMARY KEY, digest TEXT NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    plan TEXT NOT NULL,
    settings TEXT NOT NULL,
    versions TEXT NOT NULL,
    started TEXT NOT NULL,
    seconds REAL NOT NULL,
    state TEXT NOT NULL
);
"""

STEPS = (("documents, kept records, merged files, runs", _FIRST),)
VERSION = len(STEPS)


def migrate(database: sqlite3.Connection, version: int) -> None:
    """Bring a checkpoint of `version` (0: an empty file) to `VERSION`, in one transaction."""
    if version == VERSION:
        return
    script = "".join(step for _name, step in STEPS[version:])
    database.executescript(
        f"BEGIN IMMEDIATE; {script} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
    )
