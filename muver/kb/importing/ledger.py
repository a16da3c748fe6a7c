"""Ids, titles and redirects of all entities, on disk, for checks that need all at once."""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

BUFFERED = 10_000
CACHE_KIB = 1 << 14  # of memory; the rest is on disk
LONGEST_CHAIN = 5  # redirects to redirects that are followed
TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;
CREATE TABLE entity (world TEXT, id TEXT, title TEXT, file INTEGER, place TEXT);
CREATE TABLE redirect (world TEXT, title TEXT, target TEXT);
"""


class Ledger:
    """A SQLite file of names: about 100 bytes an entity, and twice that once it is looked up.

    Memory stays the same for any number of entities. Rows are added first, then asked for.

    Parameters
    ----------
    path
        The file, which is removed with its folder by whoever made that.
    files
        The sources, for messages.
    """

    def __init__(self, path: Path, files: Iterable[Path]):
        self.files = list(files)
        # Where SQLite sorts: the usual folder is often small.
        self._usual = os.environ.get("SQLITE_TMPDIR")
        os.environ["SQLITE_TMPDIR"] = str(path.parent)
        self._base = sqlite3.connect(path, isolation_level=None)
        self._base.executescript(TABLES)
        self._base.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._entities: list[tuple] = []
        self._redirects: list[tuple] = []

    def close(self) -> None:
        """Close the file."""
        self._base.close()
        if self._usual is None:
            del os.environ["SQLITE_TMPDIR"]
        else:
            os.environ["SQLITE_TMPDIR"] = self._usual

    def add_entity(self, world: str, identity: str, title: str, file: int, place: str) -> None:
        """Note an entity of the file with this number."""
        self._entities.append((world, identity, title, file, place))
        if len(self._entities) >= BUFFERED:
            self._write()

    def add_redirect(self, world: str, title: str, target: str) -> None:
        """Note a further title of ``target``."""
        self._redirects.append((world, title, target))
        if len(self._redirects) >= BUFFERED:
            self._write()

    def finish(self) -> None:
        """Follow redirects to redirects and make everything quick to find."""
        self._write()
        self._base.execute("BEGIN")
        self._base.execute("CREATE INDEX by_title ON redirect (world, title)")
        for _ in range(LONGEST_CHAIN):
            moved = self._base.execute(
                "UPDATE redirect AS r SET target = (SELECT n.target FROM redirect n"
                " WHERE n.world = r.world AND n.title = r.target LIMIT 1)"
                " WHERE EXISTS (SELECT 1 FROM redirect n WHERE n.world = r.world"
                " AND n.title = r.target AND n.target != r.target)"
            ).rowcount
            if not moved:
                break
        self._base.execute("CREATE INDEX by_target ON redirect (world, target)")
        self._base.execute("CREATE INDEX entity_by_title ON entity (world, title)")
        self._base.execute("COMMIT")

    def first_twice(self) -> tuple[str, str, str] | None:
        """An id that a world has twice, with the two places; None if all differ."""
        row = self._base.execute(
            "SELECT world, id FROM entity GROUP BY world, id HAVING count(*) > 1"
            " ORDER BY min(rowid) LIMIT 1"
        ).fetchone()
        if row is None:
            return None
        places = self._base.execute(
            "SELECT file, place FROM entity WHERE world = ? AND id = ? ORDER BY rowid LIMIT 2", row
        )
        first, second = (f"{self.files[file]}, {place}" for file, place in places)
        return row[1], first, second

    def equal_titles(self, shown: int) -> tuple[int, list[str]]:
        """How many titles several entities of a world have, and the first ones with places."""
        (count,) = self._base.execute(
            "SELECT count(*) FROM (SELECT 1 FROM entity WHERE title != ''"
            " GROUP BY world, title HAVING count(*) > 1)"
        ).fetchone()
        rows = self._base.execute(
            "SELECT title, min(place), max(place), count(*) AS n FROM entity WHERE title != ''"
            " GROUP BY world, title HAVING n > 1 ORDER BY min(rowid) LIMIT ?",
            (shown,),
        )
        return count, [f"{title!r}, {n} times ({a}, {b})" for title, a, b, n in rows]

    def has_redirects(self) -> bool:
        """Whether there are any."""
        return self._base.execute("SELECT 1 FROM redirect LIMIT 1").fetchone() is not None

    def lost_redirects(self) -> int:
        """How many lead to no entity."""
        (count,) = self._base.execute(
            "SELECT count(*) FROM redirect r WHERE NOT EXISTS"
            " (SELECT 1 FROM entity e WHERE e.world = r.world AND e.title = r.target)"
        ).fetchone()
        return count

    def redirects_to(self, world: str, title: str) -> Iterator[str]:
        """The further titles of an entity, in the order they were read."""
        rows = self._base.execute(
            "SELECT title FROM redirect WHERE world = ? AND target = ? ORDER BY rowid",
            (world, title),
        )
        return (title for (title,) in rows)

    def find(self, world: str, title: str) -> tuple[str, str] | None:
        """Id and title of the entity called so, or that a redirect of this name leads to."""
        found = "SELECT id, title FROM entity WHERE world = ? AND title = ? LIMIT 1"
        row = self._base.execute(found, (world, title)).fetchone()
        if row is None:
            leads = "SELECT target FROM redirect WHERE world = ? AND title = ? LIMIT 1"
            target = self._base.execute(leads, (world, title)).fetchone()
            row = target and self._base.execute(found, (world, *target)).fetchone()
        return row

    def _write(self) -> None:
        self._base.execute("BEGIN")
        self._base.executemany("INSERT INTO entity VALUES (?, ?, ?, ?, ?)", self._entities)
        self._base.executemany("INSERT INTO redirect VALUES (?, ?, ?)", self._redirects)
        self._base.execute("COMMIT")
        self._entities.clear()
        self._redirects.clear()
