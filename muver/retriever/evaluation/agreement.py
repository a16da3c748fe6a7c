"""Measure how far two runs over the same mentions agree, such as fp32 and bf16."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from msgspec.structs import asdict

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.text import aligned
from muver.io.typed import Record, flat
from muver.retriever.evaluation.records import Percent
from muver.retriever.runs.run import mentions_of_rows, ranked_mentions, read_run

DEPTHS = (1, 10, 64)


class Agreement(Record):
    """How far two runs agree; shares are in percent."""

    mentions: int
    depth: int  # ranks compared
    identical: float  # mentions with the same ranked list
    same_first: float  # mentions with the same entity at rank 1
    overlap: Percent  # mean share of the first k entities (of the longer list) that both have
    common: int  # candidates that both runs have
    greatest_difference: float  # of their scores; 0 without common candidates
    mean_difference: float


def agreement(first: Path, second: Path) -> Agreement:
    """Compare two run files that rank entities for the same mentions.

    Runs of different depth are compared down to the end of the shallower one.
    """
    paths = first, second
    tables = [read_run(path) for path in paths]
    ids = ranked_mentions(tables[0])
    if not ids or set(ids) != set(ranked_mentions(tables[1])):
        raise InputError(
            f"{second}: does not rank the mentions of {first}. Compare runs of the same split of "
            "the same data."
        )
    check_titles(paths, tables)
    depth = min(int(table["rank"].to_numpy().max()) for table in tables)
    kept = [table.filter(pa.array(table["rank"].to_numpy() <= depth)) for table in tables]
    mentions = [mentions_of_rows(table, ids) for table in kept]
    keys = [m * 2**31 + t["entity"].to_numpy() for t, m in zip(kept, mentions, strict=True)]
    _, *rows = np.intersect1d(*keys, return_indices=True)
    common = [table.take(pa.array(own)) for table, own in zip(kept, rows, strict=True)]
    ranks = [table["rank"].to_numpy() for table in common]
    scores = [table["score"].to_numpy().astype(np.float64) for table in common]

    def shared(chosen: np.ndarray, k: int) -> np.ndarray:
        """Share of each mention's first k candidates that are among the chosen ones."""
        lengths = [
            np.bincount(own[table["rank"].to_numpy() <= k], minlength=len(ids))
            for table, own in zip(kept, mentions, strict=True)
        ]
        there = mentions[0][rows[0]][chosen]
        return np.bincount(there, minlength=len(ids)) / np.maximum(*lengths)

    overlap = {
        k: 100 * float(shared(np.maximum(*ranks) <= k, k).mean())
        for k in (*(k for k in DEPTHS if k < depth), depth)
    }
    apart = np.abs(np.subtract(*scores))
    return Agreement(
        mentions=len(ids),
        depth=depth,
        identical=100 * float((shared(np.equal(*ranks), depth) == 1).mean()),
        same_first=overlap[1],
        overlap=overlap,
        common=len(apart),
        greatest_difference=float(apart.max(initial=0)),
        mean_difference=float(apart.mean()) if len(apart) else 0.0,
    )


def compare_runs(first: Path, second: Path, *, out: Path | None = None) -> None:
    """Print the agreement of two runs (:func:`agreement`).

    Shows what a change that should keep the ranking does to it: another precision, a quantised or
    approximate index. What it does to recall stands in the two rows' tables.

    Parameters
    ----------
    first, second
        Run files, from `muver stage retrieve`.
    out
        JSON file to write as well.
    """
    found = agreement(first, second)
    if out is not None:
        write_json(out, {"runs": [first.as_posix(), second.as_posix()], **asdict(found)})
    lines = [(key.replace("_", " "), f"{value:.5g}") for key, value in flat(asdict(found))]
    print("\n".join(aligned(lines, right=(1,))))


def check_titles(paths: Sequence[Path], tables: Sequence[pa.Table]) -> None:
    """Refuse different titles: entities are only numbers, which may agree by chance."""
    columns = (
        [table[name].to_pylist() for name in ("world", "entity", "title")] for table in tables
    )
    first, second = ({own[:2]: own[2] for own in zip(*one, strict=True)} for one in columns)
    for entity, ours in first.items():
        if (theirs := second.get(entity, ours)) != ours:
            raise InputError(
                f"{paths[1]}: calls {theirs!r} what {paths[0]} calls {ours!r}: runs of other "
                "entities. Compare runs over the same data."
            )
