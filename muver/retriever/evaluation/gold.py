"""Read the mentions of a set and their gold entities, against which a run is scored.

A set is a split of a dataset of worlds (ZESHEL's test and val), with candidates from the mention's
own world, or a benchmark over one knowledge base (AIDA, MSNBC, WNED-WIKI), with every entity of
Wikipedia as a candidate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import read_json, short_hash
from muver.retriever.corpus.schema import (
    WIKIPEDIA,
    read_entities,
    read_linked_mentions,
    read_mentions,
)
from muver.retriever.corpus.statistics import read_counts
from muver.retriever.evaluation.lengths import gold_sentences
from muver.retriever.evaluation.records import KnowledgeBase

KB = ("entities", "fingerprint", "identified_as")  # keys of a knowledge base's manifest


@dataclass(frozen=True)
class Gold:
    """The mentions of a set with their gold entities.

    Attributes
    ----------
    mentions
        All mentions of the set; ``gold`` is null for entities outside the knowledge base.
    lengths : (mentions,) int
        Number of sentences of each gold entity's description; 0 if unknown.
    sizes
        Number of entities in each world.
    titles
        Titles of each world's entities, by line number; empty for a knowledge base, whose entities
        match by number only.
    own_pages : (mentions,) int64
        The entity whose page each mention stands on, -1 if it is none of its world's.
    fingerprint, identified_as, kb, matched_by_title
        As in :class:`muver.retriever.evaluation.records.Evaluation`.
    """

    mentions: pa.Table
    lengths: np.ndarray
    sizes: Mapping[str, int]
    titles: Mapping[str, list[str]]
    own_pages: np.ndarray
    fingerprint: str
    identified_as: str | None
    kb: KnowledgeBase | None = None
    matched_by_title: int = 0


def gold_of_worlds(
    dataset: str, name: str, entities: Path, mentions: Path, sentences: Path, counts: Path
) -> Gold:
    """The gold entities of the split ``name``, from files of the corpus and segment stages."""
    known = read_counts(counts, dataset)
    table = read_mentions(mentions, name)
    if table.num_rows == 0:
        raise InputError(f"{mentions}: no mentions in split {name!r}: nothing to score.")
    titles, places = {}, {}
    for world in sorted(set(table["world"].to_pylist())):
        own = read_entities(entities, [world])  # one at a time, as it holds the descriptions
        titles[world] = own["title"].to_pylist()
        places |= {(world, id): n for n, id in enumerate(own["document_id"].to_pylist())}
    documents = zip(table["world"].to_pylist(), table["document"].to_pylist(), strict=True)
    return Gold(
        table,
        gold_sentences(sentences, table),
        {world: len(names) for world, names in titles.items()},
        titles,
        np.array([places.get(one, -1) for one in documents]),
        known.fingerprint,
        known.identified_as,
    )


def gold_of_kb(name: str, kb: Path, mentions: Path, report: Path) -> Gold:
    """The gold entities of a benchmark, from ``mentions`` and ``report`` of ``muver stage link``.

    Only the manifest of the knowledge base is read, so memory does not grow with its size.
    """
    base, linked = read_json(kb / "manifest.json"), read_json(report)
    if not isinstance(base, dict) or not {*KB} <= base.keys():
        raise InputError(
            f"{kb / 'manifest.json'}: not the manifest of a knowledge base. Run `muver stage kb`."
        )
    if linked["set"] != name:
        raise InputError(f"{report}: belongs to the set {linked['set']!r}, expected {name!r}.")
    table = read_linked_mentions(mentions)
    if table["gold"].null_count == table.num_rows:
        raise InputError(f"{mentions}: no mention has its gold in the knowledge base.")
    fingerprint = short_hash(
        {
            "kb": base["fingerprint"],
            "mentions": linked["inputs"]["mentions"],
            **{key: linked["settings"][key] for key in ("context_tokens", "match")},
        },
        16,
    )
    return Gold(
        table,
        np.zeros(table.num_rows, dtype=np.int32),
        {WIKIPEDIA: base["entities"]},
        {},
        np.full(table.num_rows, -1),
        fingerprint,
        base["identified_as"],
        KnowledgeBase(base["entities"], base["fingerprint"]),
        linked["matched"]["title"],
    )
