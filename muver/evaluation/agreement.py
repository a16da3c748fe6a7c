"""How far two runs of the same mentions agree: what another precision or index changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.runs.run import block_starts, mentions_of_rows, ranked_mentions, read_run

DEPTHS = (1, 10, 64)
Mention = tuple[str, str]  # id and world


@dataclass(frozen=True)
class _Candidates:
    """The rows of a run, cut to a depth, with mentions as numbers.

    Attributes
    ----------
    table
        The rows.
    mentions, ranks, keys : (rows,) int64
        The mention's number, the rank from 1, and one number a mention and entity.
    """

    table: pa.Table
    mentions: np.ndarray
    ranks: np.ndarray
    keys: np.ndarray

    @classmethod
    def of(cls, table: pa.Table, ids: Sequence[str], depth: int) -> "_Candidates":
        mentions = mentions_of_rows(table, ids)
        kept = table["rank"].to_numpy() <= depth
        table, mentions = table.filter(pa.array(kept)), mentions[kept]
        keys = mentions * 2**31 + table["entity"].to_numpy()
        return cls(table, mentions, table["rank"].to_numpy(), keys)

    def lengths(self, mentions: int, k: int) -> np.ndarray:
        """How many of the first k places of each mention are filled: (mentions,)."""
        return np.bincount(self.mentions[self.ranks <= k], minlength=mentions)

    def column(self, name: str, rows: np.ndarray) -> pa.ChunkedArray:
        """Some rows of a column."""
        return self.table[name].take(pa.array(rows))


def agreement(first: Path, second: Path) -> dict[str, Any]:
    """Compare two run files that rank entities for the same mentions.

    Runs of different depth are compared down to the end of the shallower one.

    Returns
    -------
    ``mentions``; ``depth``, the number of ranks compared; in percent of the mentions ``identical``,
    those with the same ranked list, and ``same_first``, those with the same entity at rank 1;
    ``overlap``, by k the mean share of the first k entities that both runs have there, in percent
    (of the longer list, where one has fewer than k); ``common``, how many candidates both have,
    and of their scores the ``greatest_difference`` and the ``mean_difference``, without sign (None
    if there are none).

    Raises
    ------
    InputError
        If a file is no run, or the two are of other mentions or other entities.
    """
    return table_agreement((first, second), [read_run(path) for path in (first, second)])


def table_agreement(
    paths: Sequence[Path], tables: Sequence[pa.Table], same_titles: bool = True
) -> dict[str, Any]:
    """Compare two runs that were read already; see :func:`agreement`.

    Parameters
    ----------
    paths
        Where the two come from, for messages.
    tables
        Of schema :data:`muver.runs.run.RUN`.
    same_titles
        Refuse runs that give an entity two titles. Runs of other systems have no titles.
    """
    ids = _same_mentions(paths, tables)
    count = len(ids)
    depth = min(int(table["rank"].to_numpy().max()) for table in tables)
    a, b = (_Candidates.of(table, ids, depth) for table in tables)
    _, in_a, in_b = np.intersect1d(a.keys, b.keys, return_indices=True)
    if same_titles:
        _check_titles(*paths, a.column("title", in_a), b.column("title", in_b))

    def shared(places: np.ndarray, k: int) -> np.ndarray:
        """Share of the first k of each mention: those of the common candidates at ``places``."""
        own = np.bincount(a.mentions[in_a][places], minlength=count)
        return own / np.maximum(a.lengths(count, k), b.lengths(count, k))

    ranks = a.ranks[in_a], b.ranks[in_b]
    overlap = {
        str(k): 100 * float(shared(np.maximum(*ranks) <= k, k).mean())
        for k in (*(k for k in DEPTHS if k < depth), depth)
    }
    scores = (
        one.column("score", rows).to_numpy().astype(np.float64)
        for one, rows in ((a, in_a), (b, in_b))
    )
    apart = np.abs(np.subtract(*scores))
    return {
        "mentions": count,
        "depth": depth,
        "identical": 100 * float((shared(np.equal(*ranks), depth) == 1).mean()),
        "same_first": overlap["1"],
        "overlap": overlap,
        "common": len(apart),
        "greatest_difference": float(apart.max()) if len(apart) else None,
        "mean_difference": float(apart.mean()) if len(apart) else None,
    }


def as_text(found: Mapping[str, Any]) -> str:
    """A result of :func:`agreement` as a small table, a line a number."""
    lines = [
        ("mentions", f"{found['mentions']}"),
        ("ranks compared", f"{found['depth']}"),
        ("identical ranked lists", f"{found['identical']:.2f}%"),
        ("same first entity", f"{found['same_first']:.2f}%"),
        *((f"overlap at {k}", f"{share:.2f}%") for k, share in found["overlap"].items()),
        ("candidates in common", f"{found['common']}"),
    ]
    if found["common"]:
        for which in ("greatest", "mean"):
            difference = found[f"{which}_difference"]
            lines.append((f"{which} difference of their scores", f"{difference:.3g}"))
    width, places = (max(len(line[column]) for line in lines) for column in (0, 1))
    return "\n".join(f"{name:<{width}}  {value:>{places}}" for name, value in lines)


def _mentions(table: pa.Table) -> list[Mention]:
    worlds = table["world"].take(pa.array(block_starts(table)))
    return list(zip(ranked_mentions(table), worlds.to_pylist(), strict=True))


def _same_mentions(paths: Sequence[Path], tables: Sequence[pa.Table]) -> list[str]:
    """Ids of the mentions; both runs have to have all of them, of the same worlds."""
    found = [_mentions(table) for table in tables]
    for path, mentions in zip(paths, found, strict=True):
        if not mentions:
            raise InputError(f"{path}: holds no candidates, so there is nothing to compare.")
    for one, other in ((0, 1), (1, 0)):
        have = set(found[other])
        if missing := [mention for mention in found[one] if mention not in have]:
            name, world = missing[0]
            raise InputError(
                f"{paths[other]}: ranks nothing for {len(missing)} of the {len(found[one])} "
                f"mentions of {paths[one]}, for instance {name!r} of world {world!r}. Compare runs "
                "of the same split of the same data."
            )
    return [name for name, _ in found[0]]


def _check_titles(
    first: Path, second: Path, ours: pa.ChunkedArray, theirs: pa.ChunkedArray
) -> None:
    """Entities are numbers in their world: those of other data would agree by chance."""
    for mine, other in zip(ours.to_pylist(), theirs.to_pylist(), strict=True):
        if mine != other:
            raise InputError(
                f"{second}: calls {other!r} what {first} calls {mine!r}: runs of other entities. "
                "Compare runs of the same data."
            )
