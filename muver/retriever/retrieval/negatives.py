"""Hard negatives: the best candidates of a run that are not the mention's gold (appendix, "AIDA").

They are mined once, from another row's run over the training mentions ("precomputed using BLINK"),
and stored as data. A share of them may be drawn at random instead.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.io.files import sha256_of, write_manifest
from muver.io.parquet import table_writer
from muver.io.progress import logger
from muver.retriever.corpus.knowledge_base import KnowledgeBase, normal_title
from muver.retriever.corpus.schema import (
    NEGATIVES,
    read_entities,
    read_linked_mentions,
    read_mentions,
)
from muver.retriever.retrieval.settings import Mining
from muver.retriever.runs.run import block_starts, ranked_mentions, read_run


class Gold(NamedTuple):
    """A mention's gold entity, with its title, and the number of entities it is one of."""

    entity: int
    title: str
    among: int


def mine(
    run: str | Path,
    mentions: str | Path,
    out: str | Path,
    manifest: str | Path,
    settings: Mining,
    kb: str | Path | None = None,
    entities: str | Path | None = None,
) -> dict[str, int]:
    """Write the hard negatives of every training mention with a known gold, and their provenance.

    Parameters
    ----------
    run
        A run over the mentions, of any retriever.
    mentions
        Linked mentions of a knowledge base, or those of worlds, of which the split "train" is read.
    out, manifest
        Parquet (`NEGATIVES`) and JSON to write.
    kb, entities
        What the gold is one of: a knowledge base, or the entities of the worlds.

    Returns
    -------
    The manifest's counts: mentions, those left out because their gold is outside the base, those
    mined, their negatives, mentions with fewer than asked for, candidates skipped because they have
    the gold's title.
    """
    if (kb is None) == (entities is None):
        raise InputError("--kb or --entities: expected one of them, which has the gold entities.")
    if kb is not None:
        base = KnowledgeBase(kb)
        inputs = {"kb": base.manifest["fingerprint"]}
        total, golds = _golds_of_base(mentions, base)
    else:
        inputs = {"entities": sha256_of(entities)}
        total, golds = _golds_of_worlds(mentions, entities)
    found = _Found(read_run(run), golds, settings, run)
    with table_writer(out, NEGATIVES) as writer:
        writer.write_table(pa.Table.from_pylist(list(found.rows()), NEGATIVES))
    counts = {"mentions": total, "gold_outside": total - len(golds), "mined": len(golds)}
    counts |= found.counts
    inputs |= {"run": sha256_of(run), "mentions": sha256_of(mentions)}
    write_manifest(manifest, "negatives", settings.as_dict(), inputs, counts=counts)
    logger.info(
        "%d negatives of %d mentions; %d mentions have fewer than %d, %d have their gold outside "
        "the base", counts["negatives"], counts["mined"], counts["fewer"],
        settings.per_mention, counts["gold_outside"],
    )  # fmt: skip
    return counts


class _Found:
    """Walks down each mention's candidates and counts on the way."""

    def __init__(
        self, run: pa.Table, golds: Mapping[str, Gold], settings: Mining, path: str | Path
    ):
        self._golds, self._settings, self._path = golds, settings, path
        self._drawn = round(settings.random * settings.per_mention)
        self._random = np.random.default_rng(settings.seed)
        self._entities, self._scores = (run[name].to_numpy() for name in ("entity", "score"))
        self._titles = run["title"].combine_chunks()
        starts = block_starts(run).tolist()
        blocks = zip(starts, [*starts[1:], run.num_rows], strict=True)
        self._blocks = dict(zip(ranked_mentions(run), blocks, strict=True))
        self.counts = {"negatives": 0, "fewer": 0, "same_title": 0}

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each mention with a gold, in the mentions' order; its lists may be empty."""
        for mention, gold in self._golds.items():
            if mention not in self._blocks:
                raise InputError(
                    f"{self._path}: has no candidates for mention {mention!r}: a run of other "
                    "mentions, or not of all. Run the search again."
                )
            start, end = self._blocks[mention]
            rows = list(self._negatives(start, end, gold))
            mined = self._entities[rows].tolist()
            drawn = self._draw(gold, {gold.entity, *mined})
            self.counts["negatives"] += len(mined) + len(drawn)
            self.counts["fewer"] += len(mined) + len(drawn) < self._settings.per_mention
            yield {
                "mention_id": mention,
                "negatives": mined + drawn,
                "ranks": [row - start + 1 for row in rows] + [0] * len(drawn),
                "scores": self._scores[rows].tolist() + [None] * len(drawn),
            }

    def _negatives(self, start: int, end: int, gold: Gold) -> Iterator[int]:
        """Rows of the run that are this mention's negatives."""
        bound, title = self._bound(start, end, gold), normal_title(gold.title)
        left = self._settings.per_mention - self._drawn
        first, last = self._settings.ranks or (1, end - start)
        for row in range(start + first - 1, min(start + last, end)):
            if not left:
                return
            if self._entities[row] == gold.entity or self._scores[row] > bound:
                continue
            if normal_title(self._titles[row].as_py()) == title:
                self.counts["same_title"] += 1
                continue
            left -= 1
            yield row

    def _bound(self, start: int, end: int, gold: Gold) -> float:
        """The greatest score that a negative may have; a gold not found counts as below all."""
        if self._settings.margin is None:
            return np.inf
        at = np.flatnonzero(self._entities[start:end] == gold.entity)
        return float(self._scores[start + at[0]]) - self._settings.margin if len(at) else -np.inf

    def _draw(self, gold: Gold, taken: set[int]) -> list[int]:
        """Entities drawn evenly from all that are not taken, as many as are asked for."""
        found: dict[int, None] = {}
        while len(found) < min(self._drawn, gold.among - len(taken)):
            if (one := int(self._random.integers(gold.among))) not in taken:
                found[one] = None
        return list(found)


def _golds_of_worlds(mentions: str | Path, entities: str | Path) -> tuple[int, dict[str, Gold]]:
    """The number of training mentions, and the gold of each."""
    table, golds = read_mentions(mentions, "train"), {}
    for world in pc.unique(table["world"]).to_pylist():
        titles = read_entities(entities, [world])["title"].to_pylist()
        own = table.filter(pc.equal(table["world"], world))
        for mention, gold in zip(
            own["mention_id"].to_pylist(), own["gold"].to_pylist(), strict=True
        ):
            golds[mention] = Gold(gold, titles[gold], len(titles))
    return table.num_rows, {one: golds[one] for one in table["mention_id"].to_pylist()}


def _golds_of_base(mentions: str | Path, base: KnowledgeBase) -> tuple[int, dict[str, Gold]]:
    """The number of mentions, and the gold of each whose gold is in the base, in their order."""
    table = read_linked_mentions(mentions)
    inside = table.filter(table["gold"].is_valid())
    numbers = inside["gold"].to_numpy()
    if not len(numbers):
        raise InputError(f"{mentions}: no mention has its gold entity in the knowledge base.")
    if numbers.max() >= len(base):
        raise InputError(
            f"{mentions}: gold {numbers.max()} is no entity of {base.folder}, which has "
            f"{len(base)}: the mentions were linked to another base. Run `muver stage link` again."
        )
    distinct, inverse = np.unique(numbers, return_inverse=True)
    titles, ids = base.titles(distinct), inside["mention_id"].to_pylist()
    golds = zip(numbers.tolist(), (titles[at] for at in inverse), strict=True)
    found = {one: Gold(*own, len(base)) for one, own in zip(ids, golds, strict=True)}
    return table.num_rows, found
