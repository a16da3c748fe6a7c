"""Paired tests over mentions and seeds, and Holm's correction (docs/protocol.md)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.typed import Record
from muver.retriever.evaluation.bootstrap import draw_means, interval
from muver.retriever.evaluation.recall import check_same_mentions, clusters, hits_at

BIN, LAST = 5, 100  # sentences, as in Figure 2
RESAMPLE = "documents"  # what the bootstrap draws, with all their mentions
Ranks = Mapping[str, pa.Table]  # of a row's gold entities, by seed


class Part(Record):
    """A difference with its interval; a claim of several cut-offs or worlds has several.

    ``above`` and ``below`` are one-sided p-values that it is above what is claimed, and below.
    """

    label: str
    difference: float  # points; of a trend, points a step
    interval: list[float]  # 95%
    above: float
    below: float
    mentions: int
    seeds: int


def more(
    first: Ranks, second: Ranks, at: tuple[int, int], than: float = 0,
    sentences: tuple[int, int] | None = None, each_world: bool = False,
) -> list[Part]:  # fmt: skip
    """Recall of the first row minus the second's, at the cut-offs ``at`` of both, in points.

    Only mentions count whose gold entity's description has from one to the other number of
    ``sentences``. With ``each_world`` there is a part a world.
    """
    (first_hits, second_hits), table = _hits((first, second), at)
    ahead, kept = first_hits - second_hits, np.ones(table.num_rows, dtype=bool)
    label = f"R@{at[0]}" if at[0] == at[1] else f"R@{at[0]} and R@{at[1]}"
    if sentences:
        kept = _within(table, *sentences)
        label += f", {sentences[0]} to {sentences[1]} sentences"
    if not each_world:
        return [_part(label, ahead, table, kept, than)]
    worlds = np.array(table["world"].to_pylist())
    return [
        _part(f"{label}, {name}", ahead, table, kept & (worlds == name), than)
        for name in sorted(set(worlds))
    ]


def rising(rows: Sequence[Ranks], at: int) -> Part:
    """The slope of recall along the rows, in points a row."""
    hits, table = _hits(rows, [at] * len(rows))
    steps = np.arange(len(rows)) - (len(rows) - 1) / 2
    slopes = np.tensordot(steps / (steps**2).sum(), np.stack(hits), axes=1)
    everything = np.ones(table.num_rows, dtype=bool)
    return _part(f"R@{at}, a row", slopes, table, everything)


def widening(first: Ranks, second: Ranks, at: int) -> Part:
    """The slope of the difference over bins of five sentences, in points a bin."""
    (first_hits, second_hits), table = _hits((first, second), (at, at))
    kept = _within(table, 1, LAST)
    bins = (table["sentences"].to_numpy()[kept] - 1) // BIN
    away = bins - bins.mean()
    if not away.any():
        raise InputError("a trend over the length of descriptions needs more than one length.")
    ahead = (first_hits - second_hits).astype(float)
    # The mean of these is the slope; with the lead taken off, draws don't move the mean length
    ahead[kept] = (ahead[kept] - ahead[kept].mean(0)) * (away / (away**2).mean())[:, None]
    return _part(f"R@{at}, a bin of {BIN} sentences", ahead, table, kept)


def joined(parts: Sequence[Part]) -> tuple[float, float]:
    """One-sided p-values of a claim: that all parts are above, and that any is below.

    The first is an intersection-union test (Berger, 1982), the second has Bonferroni's correction.

    >>> a = Part("R@1", 1.0, [0.5, 1.5], above=0.01, below=0.99, mentions=9, seeds=1)
    >>> b = Part("R@2", -2.0, [-3, -1], above=0.98, below=0.02, mentions=9, seeds=1)
    >>> joined([a]), joined([a, b])
    ((0.01, 0.99), (0.98, 0.04))
    """
    above = max(part.above for part in parts)
    return above, min(1.0, len(parts) * min(part.below for part in parts))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values corrected for their number (Holm, 1979), by name.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    corrected, least = {}, 0.0
    ordered = sorted(p_values.items(), key=lambda item: item[1])
    for before, (name, value) in enumerate(ordered):
        least = max(least, min(1.0, (len(ordered) - before) * value))
        corrected[name] = least
    return corrected


def _hits(rows: Sequence[Ranks], at: Sequence[int]) -> tuple[list[np.ndarray], pa.Table]:
    """Hits of each row, (mentions, seeds), of the seeds that all have; the mentions."""
    seeds = [seed for seed in rows[0] if all(seed in row for row in rows)]
    if not seeds:
        raise InputError("the rows of a claim have no seed in common. Train them with one.")
    table = rows[0][seeds[0]]
    for row in rows:
        for seed in seeds:
            check_same_mentions(table, row[seed])
    found = [
        np.stack([hits_at(row[seed], k) for seed in seeds], axis=1).astype(int)
        for row, k in zip(rows, at, strict=True)
    ]
    return found, table


def _within(table: pa.Table, first: int, last: int) -> np.ndarray:
    lengths = table["sentences"].to_numpy()
    return (lengths >= first) & (lengths <= last)


def _part(
    label: str, ahead: np.ndarray, table: pa.Table, kept: np.ndarray, than: float = 0
) -> Part:
    if not kept.any():
        raise InputError(f"{label}: no mention is of this kind.")
    ahead, table = ahead[kept], table.filter(pa.array(kept))
    drawn = draw_means(ahead, table["world"].to_pylist(), clusters(table, RESAMPLE))
    return Part(
        label=label,
        difference=100 * float(ahead.mean()),
        interval=interval(drawn),
        above=_share(100 * drawn <= than),
        below=_share(100 * drawn >= than),
        mentions=len(ahead),
        seeds=ahead.shape[1],
    )


def _share(drawn: np.ndarray) -> float:
    """The share of draws, never 0 as one more draw could be."""
    return (1 + int(drawn.sum())) / (1 + len(drawn))
