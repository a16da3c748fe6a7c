"""The predictions as one JSON object, which the page's script shows.

It is columnar, since thousands of small objects would cost several times the room. ``n`` mentions,
``m`` entities; numbers of mentions, entities, worlds and categories count from 0:

``split``, ``dataset``
    What was ranked.
``unit``, ``group``
    What a text is made of, ``sentence`` or ``paragraph``, and what mentions are grouped by,
    ``World`` or ``Set``.
``total``
    Mentions of the split; more than ``n`` if the page holds a sample.
``limit``
    Characters a description was cut to, or null.
``keep``
    Candidates a mention and row, besides the gold entity.
``cutoffs``
    The k of recall@k that the reader may choose.
``worlds``, ``categories``
    Names.
``mentions``
    ``id``, ``world``, ``category``, ``left``, ``mention``, ``right``, ``gold`` (an entity): each a
    list of ``n``.
``entities``
    ``title``, ``document``, ``world``, ``sentences`` (how many the description has) and ``text``:
    each a list of ``m``. A text is a list of sentences, in order; a number stands for as many that
    were left out. ``sentences`` and ``text`` are null where the description was not read.
``rows``
    A list of objects: ``system``, ``method``, ``key`` (row key), ``tables`` (names), ``depth``
    (candidates a mention), ``views``, and

    ``rank``
        ``n`` ranks of the gold entity; 0 = not among the candidates.
    ``counts``
        ``n`` numbers of candidates that are kept.
    ``place``, ``entity``, ``score``, ``layer``, ``first``, ``last``
        Of all candidates that are kept, those of one mention after another: the rank, the entity,
        the score, and the view that won as in a run file (:mod:`muver.retrieval.rows`): ``layer``
        0 = an original view, n > 0 = from the n-th layer of merging, -1 = no views, -2 = global,
        -3 = a span; sentences ``first`` .. ``last``.

    ``views`` says how the row reads a description: ``kind`` (``sentences``, ``prefix``, ``tokens``
    or null for BM25), ``max_tokens`` and ``global_tokens`` (word pieces a view and a global view
    have at most, or null).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from muver.report.corpus import read_corpus, read_descriptions, sample
from muver.report.descriptions import fit, shorten
from muver.report.places import Places
from muver.report.problems import Problems
from muver.report.rankings import Ranking, read_ranking
from muver.report.systems import System

Data = dict[str, Any]


def explore(
    systems: Sequence[System], places: Places, settings: Mapping[str, Any], problems: Problems
) -> Data | None:
    """The predictions of all systems whose run can be read; None without any.

    Parameters
    ----------
    settings
        ``mentions``, ``candidates`` and ``characters``: how much the page may hold.
    """
    known = [system for system in systems if system.evaluation is not None and system.split]
    if not known:
        return None
    split = known[0].split
    if others := [system.method for system in known if system.split != split]:
        problems.tell(
            f"{', '.join(others)}: ranked for another split than {known[0].method} ({split}); not "
            "among the predictions."
        )
    corpus = read_corpus(places, split)
    chosen = sample(corpus, settings["mentions"])
    read = {
        system.name: read_ranking(system, corpus, chosen, settings["candidates"], places, problems)
        for system in known
        if system.split == split
    }
    shown = [system for system in known if read.get(system.name) is not None]
    if not shown:
        return None
    rankings = [read[system.name] for system in shown]
    entities = np.unique(np.concatenate([corpus.gold[chosen], *(one.entity for one in rankings)]))
    texts = read_descriptions(places, corpus, entities)
    limit = fit([sum(map(len, text)) for text in texts], settings["characters"])
    needed = sentences_needed(shown, rankings, entities) if limit is not None else {}
    return {
        "dataset": known[0].evaluation["dataset"],
        "split": split,
        "unit": "sentence",
        "group": "World",
        "total": corpus.mentions.num_rows,
        "limit": limit,
        "keep": settings["candidates"],
        "cutoffs": known[0].evaluation["cutoffs"],
        "worlds": corpus.worlds,
        **mention_columns(
            corpus.mentions.take(chosen), corpus.world[chosen], corpus.gold[chosen], entities
        ),
        "entities": {
            "title": corpus.titles.take(entities).to_pylist(),
            "document": corpus.documents.take(entities).to_pylist(),
            "world": (np.searchsorted(corpus.offsets, entities, side="right") - 1).tolist(),
            "sentences": [len(text) for text in texts],
            "text": [shorten(text, needed.get(n, ()), limit) for n, text in enumerate(texts)],
        },
        "rows": [
            row_columns(system, ranking, entities)
            for system, ranking in zip(shown, rankings, strict=True)
        ],
    }


def views_of(settings: Mapping[str, Any]) -> Data:
    """How a row reads a description, from its settings; of a fusion, its first part with views."""
    for part in settings.get("parts", {}).values():
        found = views_of(part)
        if found["kind"]:
            return found
    model = settings.get("model", {})
    model = next(iter(model.get("best_of", {}).values()), model)
    views = model.get("views", {})
    return {
        "kind": views.get("kind"),
        "max_tokens": views.get("max_tokens"),
        "global_tokens": settings.get("global_view", {}).get("max_tokens"),
    }


def mention_columns(
    table: pa.Table, world: np.ndarray, gold: np.ndarray, entities: np.ndarray
) -> Data:
    """Mentions as the page has them, with the names of their categories.

    Parameters
    ----------
    table
        Of the n mentions that are shown.
    world, gold : (n,)
        Numbers of their worlds and gold entities.
    entities : (m,)
        Numbers of all entities that are shown, sorted.
    """
    category = table["category"].to_pylist()
    names = sorted({name or "" for name in category})
    number = {name: n for n, name in enumerate(names)}
    return {
        "categories": names,
        "mentions": {
            "id": table["mention_id"].to_pylist(),
            "world": world.tolist(),
            "category": [number[name or ""] for name in category],
            "left": table["context_left"].to_pylist(),
            "mention": table["mention"].to_pylist(),
            "right": table["context_right"].to_pylist(),
            "gold": np.searchsorted(entities, gold).tolist(),
        },
    }


def row_columns(system: System, ranking: Ranking, entities: np.ndarray) -> Data:
    """A row as the page has it; ``entities`` as of :func:`mention_columns`."""
    return {
        "system": system.name,
        "method": system.method,
        "key": system.key,
        "tables": system.tables,
        "depth": ranking.depth,
        "views": views_of(system.settings),
        "rank": ranking.rank.tolist(),
        "counts": ranking.counts.tolist(),
        "place": ranking.place.tolist(),
        "entity": np.searchsorted(entities, ranking.entity).tolist(),
        # A float32 has seven digits; five tell candidates apart by eye, and compress well.
        "score": [float(f"{score:.5g}") for score in ranking.score.tolist()],
        "layer": ranking.layer.tolist(),
        "first": ranking.first.tolist(),
        "last": ranking.last.tolist(),
    }


def sentences_needed(
    systems: Sequence[System], rankings: Sequence[Ranking], entities: np.ndarray
) -> dict[int, set[int]]:
    """Sentences of the views that won, by entity; those that cover a whole text need none."""
    needed: dict[int, set[int]] = {}
    for system, ranking in zip(systems, rankings, strict=True):
        if views_of(system.settings)["kind"] != "sentences":
            continue
        of_sentences = (ranking.layer >= 0) | (ranking.layer == -3)
        own = np.unique(
            np.stack([np.searchsorted(entities, ranking.entity), ranking.first, ranking.last])[
                :, of_sentences
            ],
            axis=1,
        )
        for entity, first, last in own.T.tolist():
            needed.setdefault(entity, set()).update(range(max(first, 0), last + 1))
    return needed
