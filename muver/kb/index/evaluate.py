"""Recall@k of an index on labelled mentions, as the tables of the experiment have it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.progress import logger
from muver.io.text import counted
from muver.io.typed import Record
from muver.kb.importing.piped import name_of
from muver.kb.index.index import Index
from muver.kb.index.index_settings import Asking, read_weights
from muver.kb.index.mentions import Labelled, read_mentions
from muver.retriever.answers import Candidate
from muver.retriever.evaluation.recall import ranks_table, scored
from muver.retriever.evaluation.records import Scores, World
from muver.retriever.evaluation.significance import wilson
from muver.retriever.runs.run import decreasing, field

ALL = "all worlds"  # of mentions that name none


class Miss(Record):
    """A mention whose gold is not the first candidate: its rank, 0 where it is none at all, and the
    entity that is first, if any.
    """

    place: str
    mention: str
    gold: str
    rank: int
    first: str | None
    title: str


class Measured(Record):
    """Recall over the mentions whose entity the index has, and how many others there are: for
    which no entity is right, whose gold is no entity of the index, and without a gold. ``mrr`` is
    the mean reciprocal rank of the golds, 0 of one beyond the last cutoff.
    """

    scores: Scores | None
    none: int
    missing: int
    unlabelled: int
    mrr: float = 0.0
    misses: list[Miss] = []


def evaluate(
    index: Path,
    mentions: str,
    *,
    cutoffs: Sequence[int] = (1, 4, 16, 64),
    misses: bool = False,
    trec: Path | None = None,
    weights: str | None = None,
    settings: Asking | None = None,
    as_json: bool = False,
) -> None:
    """Measure recall@k of an index on mentions whose entities are known.

    The mean reciprocal rank is printed too.

    Parameters
    ----------
    mentions
        JSON lines with mention, gold (an id, or null for none of these), and perhaps left, right
        and world; - is standard input.
    cutoffs
        The k of recall@k.
    misses
        List the mentions whose entity is not the first one.
    trec
        Write PATH.run and PATH.qrels for TREC's tools; a document is WORLD/ID.
    weights
        How much signals count, for this once, such as words=1,names=0.
    settings
        In place of the index's, for this once.
    as_json
        As JSON, with the misses.
    """
    if min(cutoffs, default=0) < 1:
        raise InputError("--cutoffs: expected numbers of candidates from 1 on, such as 1 4 16.")
    opened, cutoffs = Index.open(index), sorted(set(cutoffs))
    if settings:
        opened = opened.asking(**settings.as_dict())
    measured = measure(opened, read_mentions(mentions), cutoffs, trec, read_weights(weights))
    if as_json:
        print(json.dumps(msgspec.to_builtins(measured, str_keys=True), indent=2))
        return
    if measured.scores is None:
        raise InputError(
            f"{name_of(mentions)}: no mention has a gold that is an entity of {index}."
        )
    print("\n".join(_lines(measured, measured.scores, cutoffs)))
    for miss in measured.misses if misses else ():
        instead = f"{miss.title} ({miss.first})" if miss.first else "none"
        rank = miss.rank or f"beyond {cutoffs[-1]}"
        print(f"{miss.place}: {miss.mention!r}: {miss.gold} has rank {rank}; first: {instead}")


def measure(
    index: Index,
    mentions: Iterable[Labelled],
    cutoffs: Sequence[int],
    trec: Path | None = None,
    weights: Mapping[str, float] | None = None,
) -> Measured:
    """Rank entities for mentions and count where their golds stand.

    A mention that names no world is ranked among all entities; one world alone may then have its
    gold. The interval over all mentions is Wilson's: a bootstrap has no width where all are found.
    """
    ranks: list[int] = []
    worlds: list[str] = []
    misses: list[Miss] = []
    run: list[str] = []
    qrels: list[str] = []
    none = unlabelled = 0
    missing: list[Labelled] = []
    for group in index.labelled(mentions):
        none += sum(line.gold is None for line, _ in group)
        unlabelled += sum(line.gold is msgspec.UNSET for line, _ in group)
        missing += [line for line, there in group if isinstance(line.gold, str) and not there]
        linkable = [line for line, there in group if there]
        asked = [line.mention for line in linkable]
        answers = index.retrieve(asked, max(cutoffs), weights=weights)
        for line, candidates in zip(linkable, answers, strict=True):
            worlds.append(line.mention.world or ALL)
            ids = [candidate.document_id for candidate in candidates]
            rank = ids.index(line.gold) + 1 if line.gold in ids else 0
            ranks.append(rank)
            if rank != 1:
                best = candidates[0] if candidates else None
                first, title = (best.document_id, best.title) if best else (None, "")
                misses.append(Miss(line.place, line.mention.text, line.gold, rank, first, title))
            if trec is not None:
                (world,) = index.having(line.gold, line.mention.world)
                qrels.append(f"{field(line.place)} 0 {field(f'{world}/{line.gold}')} 1\n")
                run += _run_lines(line.place, candidates)
    if missing:
        logger.warning(
            "golds that are no entities of the index: %d, the first in %s: %r",
            len(missing), missing[0].place, missing[0].gold,
        )  # fmt: skip
    scores = None
    if ranks:
        ids, nothing = list(map(str, range(len(ranks)))), [None] * len(ranks)
        table = ranks_table(ids, worlds, nothing, ranks, [0] * len(ranks), max(cutoffs))
        scores = scored(table, cutoffs, "mentions")
        worlds = {name: replace(w, interval=_intervals(w)) for name, w in scores.worlds.items()}
        all_worlds = replace(scores.interval, micro=_intervals(scores))
        scores = replace(scores, interval=all_worlds, worlds=worlds)
    if trec is not None:
        write_text(f"{trec}.run", "".join(run))
        write_text(f"{trec}.qrels", "".join(qrels))
    mrr = sum(1 / rank for rank in ranks if rank) / max(len(ranks), 1)
    return Measured(scores, none, len(missing), unlabelled, mrr, misses)


def _intervals(scores: Scores | World) -> dict[int, tuple[float, float]]:
    """Of recall by k, with a width where none or all are found."""
    return {k: wilson(hits, scores.mentions) for k, hits in scores.hits.items()}


def _run_lines(place: str, candidates: Sequence[Candidate]) -> Iterator[str]:
    """A mention's lines of a run file."""
    ranks = np.arange(1, len(candidates) + 1)
    scores = decreasing(np.array([candidate.score for candidate in candidates]), ranks).tolist()
    for rank, (candidate, score) in enumerate(zip(candidates, scores, strict=True), start=1):
        document = field(f"{candidate.world}/{candidate.document_id}")
        yield f"{field(place)} Q0 {document} {rank} {score!r} muver\n"


def _lines(measured: Measured, scores: Scores, cutoffs: Sequence[int]) -> Iterator[str]:
    counts = {
        "for which no entity is right": measured.none,
        "whose gold is no entity of the index": measured.missing,
        "without a gold": measured.unlabelled,
    }
    yield counted(scores.mentions, "mention")
    yield from (f"{count} more {what}, not counted" for what, count in counts.items() if count)
    for k in cutoffs:
        low, high = scores.interval.micro[k]
        yield f"recall@{k:<4} {scores.micro[k]:5.1f}  ({low:.1f} to {high:.1f})"
    yield f"MRR         {measured.mrr:.3f}"
    if len(scores.worlds) > 1:
        for name, world in scores.worlds.items():
            recall = "  ".join(f"@{k} {world.recall[k]:.1f}" for k in cutoffs)
            yield f"{name}: {counted(world.mentions, 'mention')}, {recall}"
