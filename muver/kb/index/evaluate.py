"""Recall@k of an index on labelled mentions, as the tables of the experiment have it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.io.typed import Record
from muver.kb.index.answer import checked, followed, has_gold
from muver.kb.index.mentions import Labelled, read_mentions
from muver.kb.index.open_index import OpenIndex
from muver.kb.index.opening import own_index
from muver.retriever.evaluation.lengths import wilson
from muver.retriever.evaluation.recall import ranks_table, scored
from muver.retriever.evaluation.records import Scores

ALL = "all worlds"  # of mentions that name none


class Measured(Record):
    """Recall over the mentions whose entity the index has, and how many others there are: for
    which no entity is right, whose gold is no entity of the index, and without a gold.
    """

    scores: Scores | None
    none: int
    missing: int
    unlabelled: int


def evaluate(
    index: Path,
    mentions: str,
    *,
    cutoffs: Sequence[int] = (1, 4, 16, 64),
    as_json: bool = False,
    qdrant: str | None = None,
) -> None:
    """Print an index's recall.

    Parameters
    ----------
    mentions
        JSON lines with mention, gold (an id, or null for none of these), and perhaps left, right
        and world; - is standard input.
    cutoffs
        The k of recall@k.
    as_json
        As JSON.
    qdrant
        Search the collection at this address, to which `muver index push` brought the entities.
    """
    if min(cutoffs, default=0) < 1:
        raise InputError("--cutoffs: expected numbers of candidates from 1 on, such as 1 4 16.")
    opened, cutoffs = own_index(index, qdrant), sorted(set(cutoffs))
    found = measure(opened, checked(read_mentions(mentions), opened), cutoffs)
    if as_json:
        print(json.dumps(msgspec.to_builtins(found, str_keys=True), indent=2))
        return
    if found.scores is None:
        raise InputError(f"{mentions}: no mention has a gold that is an entity of {index}.")
    print("\n".join(_lines(found, found.scores, cutoffs)))


def measure(index: OpenIndex, mentions: Iterable[Labelled], cutoffs: Sequence[int]) -> Measured:
    """Rank entities for mentions and count where their golds stand.

    A mention that names no world is ranked among all entities; one world alone may then have its
    gold. The interval over all mentions is Wilson's: a bootstrap has no width where all are found.
    """
    ranks: list[int] = []
    worlds: list[str] = []
    none = unlabelled = 0
    missing: list[Labelled] = []
    for some in followed(mentions):
        none += sum(one.gold is None for one in some)
        unlabelled += sum(one.gold is msgspec.UNSET for one in some)
        labelled = [one for one in some if isinstance(one.gold, str)]
        linkable: list[Labelled] = []
        for one in labelled:
            (linkable if has_gold(index, one) else missing).append(one)
        answers = index.retrieve([one.mention for one in linkable], max(cutoffs))
        for one, candidates in zip(linkable, answers, strict=True):
            ids = [candidate.document_id for candidate in candidates]
            ranks.append(ids.index(one.gold) + 1 if one.gold in ids else 0)
            worlds.append(one.mention.world or ALL)
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
        micro = {k: wilson(hits, scores.mentions) for k, hits in scores.hits.items()}
        scores = replace(scores, interval=replace(scores.interval, micro=micro))
    return Measured(scores, none, len(missing), unlabelled)


def _lines(found: Measured, scores: Scores, cutoffs: Sequence[int]) -> Iterator[str]:
    counts = {
        "for which no entity is right": found.none,
        "whose gold is no entity of the index": found.missing,
        "without a gold": found.unlabelled,
    }
    yield f"{scores.mentions} mentions"
    yield from (f"{count} more {what}, not counted" for what, count in counts.items() if count)
    for k in cutoffs:
        low, high = scores.interval.micro[k]
        yield f"recall@{k:<4} {scores.micro[k]:5.1f}  ({low:.1f} to {high:.1f})"
    if len(scores.worlds) > 1:
        for name, world in scores.worlds.items():
            recall = "  ".join(f"@{k} {world.recall[k]:.1f}" for k in cutoffs)
            yield f"{name}: {world.mentions} mentions, {recall}"
