"""All mentions that a wiki's links could give, on disk; the caps choose among them."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from muver.kb.importing.settings import Mentions
from muver.retriever.corpus.splits import SPLITS


class Candidates:
    """A SQLite file of mentions, added in the order of the pages."""

    def __init__(self, path: Path):
        self._base = sqlite3.connect(path, isolation_level=None)
        self._base.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;"
            "CREATE TABLE mention (split TEXT, world TEXT, category TEXT, gold TEXT, key TEXT,"
            " line BLOB);"
            "BEGIN"
        )

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def add(self, split: str, world: str, mentions: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Add a page's mentions, each with the key by which it is chosen."""
        self._base.executemany(
            "INSERT INTO mention VALUES (?, ?, ?, ?, ?, ?)",
            [
                (split, world, one["category"], one["label_document_id"], key, json_line(one))
                for key, one in mentions
            ],
        )

    def write(self, folder: Path, settings: Mentions) -> dict[str, Any]:
        """Write those that the caps leave, in the order of the pages; count."""
        (all_mentions,) = self._base.execute("SELECT count(*) FROM mention").fetchone()
        if settings.per_target is not None:
            self._base.execute(
                "DELETE FROM mention WHERE rowid IN (SELECT row FROM (SELECT rowid AS row,"
                " row_number() OVER (PARTITION BY split, world, gold ORDER BY key) AS place"
                " FROM mention) WHERE place > ?)",
                (settings.per_target,),
            )
        self._base.execute("CREATE INDEX by_key ON mention (split, world, category, key)")
        kept: dict[str, dict[str, int]] = {split: {} for split in SPLITS}
        rows = self._base.execute(
            "SELECT split, world, sum(category = 'HIGH_OVERLAP'), count(*) FROM mention"
            " GROUP BY split, world ORDER BY split, world"
        ).fetchall()
        wanted = {
            (split, world): allowed(high, count - high, settings)
            for split, world, high, count in rows
        }
        for split in SPLITS:
            with (folder / f"{split}.json").open("wb") as file:
                for (own, world), (high, others) in wanted.items():
                    if own == split:
                        for name, line in self._chosen(split, world, high, others):
                            kept[split][name] = kept[split].get(name, 0) + 1
                            file.write(line)
        mentions = {split: sum(kept[split].values()) for split in SPLITS}
        left_out = all_mentions - sum(mentions.values())
        return {"mentions": mentions, "categories": kept, "mentions_left_out": left_out}

    def _chosen(
        self, split: str, world: str, high: int, others: int
    ) -> Iterator[tuple[str, bytes]]:
        """The first by key, which is by chance, in the order they were added."""
        pick = (
            "SELECT rowid FROM mention WHERE split = ? AND world = ?"
            " AND category {} 'HIGH_OVERLAP' ORDER BY key LIMIT ?"
        )
        return self._base.execute(
            "SELECT category, line FROM mention WHERE rowid IN"
            f" (SELECT * FROM ({pick.format('=')}) UNION ALL SELECT * FROM ({pick.format('!=')}))"
            " ORDER BY rowid",
            (split, world, high, split, world, others),
        )


def allowed(high: int, others: int, settings: Mentions) -> tuple[int, int]:
    """How many mentions of a world to keep: those that equal their title, and others.

    >>> allowed(1000, 950, Mentions(high_overlap=0.05)), allowed(9, 99, Mentions(per_world=20))
    ((50, 950), (1, 19))
    """
    share, most = settings.high_overlap, settings.per_world
    if share < 1:
        high = min(high, int(others * share / (1 - share)))
    if most is not None and high + others > most:
        high = min(high, int(most * share))
        others = min(others, most - high)
    return high, others


def json_line(value: Any) -> bytes:
    """A value as a line of JSON."""
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
