"""Hard negatives: the best candidates of a run that are not the mention's gold (appendix, "AIDA").

They are mined once, from another model's run over the training mentions ("precomputed using
BLINK"), and stored as data.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of, write_manifest
from muver.io.parquet import table_writer
from muver.io.progress import logger
from muver.retriever.corpus.knowledge_base import KnowledgeBase, normal_title
from muver.retriever.corpus.schema import NEGATIVES, NEGATIVES_KB, read_linked_mentions
from muver.retriever.retrieval.settings import Mining
from muver.retriever.runs.run import block_starts, ranked_mentions, read_run

OF_INDEX = ("index", "built", "agreement")  # keys that only the manifest of a run by an index has


class Gold(NamedTuple):
    """A mention's gold entity, with its title in the base."""

    entity: int
    title: str


def mine(
    run: str | Path,
    run_manifest: str | Path,
    mentions: str | Path,
    kb: str | Path,
    out: str | Path,
    manifest: str | Path,
    settings: Mining,
) -> dict[str, int]:
    """Write the hard negatives of every mention whose gold is in the base, and their provenance.

    Parameters
    ----------
    run, run_manifest
        A run over ``mentions``, from `muver stage retrieve --kind shards`.
    out, manifest
        Parquet (`NEGATIVES`) and JSON to write.

    Returns ------- The manifest's counts: mentions of the set, those left out because their gold is
    outside the base, those mined, their negatives, mentions with fewer than asked for, candidates
    skipped because they have the gold's title.
    """
    base = KnowledgeBase(kb)
    made_by = _provenance(run_manifest, base, mentions)
    table = read_linked_mentions(mentions)
    ranked = read_run(run, table["mention_id"].to_pylist())
    golds = _golds(table, base, mentions)
    found = _Found(ranked, golds, settings, run)
    schema = NEGATIVES.with_metadata({NEGATIVES_KB: base.manifest["fingerprint"].encode()})
    with table_writer(out, schema) as writer:
        writer.write_table(pa.Table.from_pylist(list(found.rows()), schema))
    counts = {
        "mentions": table.num_rows,
        "gold_outside": table.num_rows - len(golds),
        "mined": len(golds),
        **found.counts,
    }
    inputs = {
        "run": sha256_of(run),
        "mentions": sha256_of(mentions),
        "kb": base.manifest["fingerprint"],
    }
    write_manifest(manifest, "negatives", settings.as_dict(), inputs, counts=counts, run=made_by)
    logger.info(
        "%d negatives of %d mentions; %d mentions have fewer than %d, %d have their gold outside "
        "the base", counts["negatives"], counts["mined"], counts["fewer"],
        settings.per_mention, counts["gold_outside"],
    )  # fmt: skip
    return counts


class _Found:
    """Walks down each mention's candidates and counts on the way."""

    def __init__(
        self,
        run: pa.Table,
        golds: Mapping[str, Gold],
        settings: Mining,
        path: str | Path,
    ):
        self._golds, self._settings, self._path = golds, settings, path
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
            self.counts["negatives"] += len(rows)
            self.counts["fewer"] += len(rows) < self._settings.per_mention
            yield {
                "mention_id": mention,
                "negatives": self._entities[rows].tolist(),
                "ranks": [row - start + 1 for row in rows],
                "scores": self._scores[rows].tolist(),
            }

    def _negatives(self, start: int, end: int, gold: Gold) -> Iterator[int]:
        """Rows of the run that are this mention's negatives."""
        bound, title = self._bound(start, end, gold), normal_title(gold.title)
        left = self._settings.per_mention
        for row in range(start + self._settings.first_rank - 1, end):
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


def _golds(table: pa.Table, base: KnowledgeBase, path: str | Path) -> dict[str, Gold]:
    """The gold of each mention whose gold is in the base, in the mentions' order."""
    inside = table.filter(table["gold"].is_valid())
    numbers = inside["gold"].to_numpy()
    if not len(numbers):
        raise InputError(f"{path}: no mention has its gold entity in the knowledge base.")
    if numbers.max() >= len(base):
        raise InputError(
            f"{path}: gold {numbers.max()} is no entity of {base.folder}, which has {len(base)}: "
            "the mentions were linked to another base. Run `muver stage link` again."
        )
    distinct, inverse = np.unique(numbers, return_inverse=True)
    titles = base.titles(distinct)
    ids = inside["mention_id"].to_pylist()
    return {
        mention: Gold(int(distinct[at]), titles[at])
        for mention, at in zip(ids, inverse.tolist(), strict=True)
    }


def _provenance(path: str | Path, base: KnowledgeBase, mentions: str | Path) -> dict[str, Any]:
    """What made the run, from its manifest."""
    manifest = read_json(path)
    try:
        kb, table = (manifest["inputs"][name] for name in ("kb", "table"))
        made_by = {key: manifest[key] for key in ("stage", "settings", "inputs")}
    except (KeyError, TypeError):
        raise InputError(f"{path}: not the manifest of a run over a knowledge base.") from None
    if kb != base.manifest["fingerprint"]:
        raise InputError(
            f"{path}: a run over another knowledge base ({kb[:12]}) than {base.folder} "
            f"({base.manifest['fingerprint'][:12]}). Search again."
        )
    if table != sha256_of(mentions):
        raise InputError(f"{path}: a run over other mentions than {mentions}. Search again.")
    return made_by | {key: manifest[key] for key in OF_INDEX if key in manifest}
