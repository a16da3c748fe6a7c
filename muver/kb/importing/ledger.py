"""All entities of an import, on disk, and what needs all at once: ids, titles, redirects."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from muver.io.errors import InputError, quoted
from muver.kb.importing.schema import Entity, Redirect

LONGEST_CHAIN = 5  # redirects to redirects that are followed
TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -16384; -- KiB
CREATE TABLE entity (world TEXT, id TEXT, title TEXT, file INTEGER, place TEXT, item BLOB);
CREATE TABLE redirect (world TEXT, title TEXT, target TEXT);
CREATE TABLE mention
    (split TEXT, world TEXT, page TEXT, category TEXT, gold TEXT, key TEXT, line BLOB);
BEGIN;
"""


@contextlib.contextmanager
def opened_ledger(folder: Path, files: Sequence[Path]) -> Iterator["Ledger"]:
    """An empty ledger in a folder, where SQLite sorts as well: the usual one is often small."""
    usual = os.environ.get("SQLITE_TMPDIR", "")
    os.environ["SQLITE_TMPDIR"] = str(folder)
    connection = sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)
    try:
        with contextlib.closing(connection) as base:
            base.executescript(TABLES)
            yield Ledger(base, files)
    except sqlite3.OperationalError as error:
        raise InputError(
            f"{folder}: cannot be written ({error}). Free some space, then run the same command "
            "again; nothing was changed."
        ) from error
    finally:
        os.environ["SQLITE_TMPDIR"] = usual


class Ledger:
    """A SQLite file; memory stays the same for any number of entities.

    Entities and redirects of some ``files`` are added first, then asked for.
    """

    def __init__(self, base: sqlite3.Connection, files: Sequence[Path]):
        self.base, self.files = base, files

    def add(self, item: Entity | Redirect, file: int) -> None:
        """Keep an entity of the file with this number, or a redirect."""
        if isinstance(item, Redirect):
            row = (item.world, item.title, item.target)
            self.base.execute("INSERT INTO redirect VALUES (?, ?, ?)", row)
            return
        packed = msgspec.msgpack.encode(item)
        row = (item.world, item.id, item.title, file, item.place, packed)
        self.base.execute("INSERT INTO entity VALUES (?, ?, ?, ?, ?, ?)", row)

    def finish(self) -> None:
        """Follow redirects to redirects and make everything quick to find."""
        self.base.execute("CREATE INDEX by_title ON redirect (world, title)")
        for _ in range(LONGEST_CHAIN):
            moved = self.base.execute(
                "UPDATE redirect AS r SET target = (SELECT n.target FROM redirect n"
                " WHERE n.world = r.world AND n.title = r.target LIMIT 1)"
                " WHERE EXISTS (SELECT 1 FROM redirect n WHERE n.world = r.world"
                " AND n.title = r.target AND n.target != r.target)"
            ).rowcount
            if not moved:
                break
        self.base.execute("CREATE INDEX by_target ON redirect (world, target)")
        self.base.execute("CREATE INDEX entity_by_title ON entity (world, title)")

    def entities(self) -> Iterator[Entity]:
        """All, in the order they were added."""
        decode = msgspec.msgpack.Decoder(Entity).decode
        rows = self.base.execute("SELECT item FROM entity ORDER BY rowid")
        return (decode(item) for (item,) in rows)

    def check_ids(self) -> None:
        """Refuse an id that a world has twice."""
        rows = self.base.execute(
            "SELECT id, file, place FROM entity WHERE (world, id) = (SELECT world, id FROM entity"
            " GROUP BY world, id HAVING count(*) > 1 ORDER BY min(rowid) LIMIT 1)"
            " ORDER BY rowid LIMIT 2"
        ).fetchall()
        if rows:
            first, second = (f"{self.files[file]}, {place}" for _, file, place in rows)
            raise InputError(
                f"{second}: id {quoted(rows[0][0])} is already that of {first}. Ids must differ "
                "within a world. Remove one, or take another column with --map id=COLUMN."
            )

    def lost_redirects(self) -> Iterator[tuple[str, str]]:
        """World and title of redirects that lead to no entity."""
        return self.base.execute(
            "SELECT world, title FROM redirect r WHERE NOT EXISTS"
            " (SELECT 1 FROM entity e WHERE e.world = r.world AND e.title = r.target)"
        )

    def redirects_to(self, world: str, title: str) -> list[str]:
        """The further titles of an entity, in the order they were read."""
        rows = self.base.execute(
            "SELECT title FROM redirect WHERE world = ? AND target = ? ORDER BY rowid",
            (world, title),
        )
        return [title for (title,) in rows]

    def find(self, world: str, title: str) -> tuple[str, str] | None:
        """Id and title of the entity called so, or that a redirect of this name leads to."""
        return self.base.execute(
            "SELECT id, title FROM entity WHERE world = :world AND title IN (:title,"
            " (SELECT target FROM redirect WHERE world = :world AND title = :title LIMIT 1))"
            " ORDER BY title != :title, rowid LIMIT 1",
            {"world": world, "title": title},
        ).fetchone()
