"""The predictions as one JSON object, which the page's script shows.

It is columnar, since thousands of small objects would take several times the room. Mentions
(``n``), entities (``m``), worlds and categories are numbered from 0.

``total``, ``limit``
    All mentions that were ranked, of which the page may hold a sample; the characters to which
    descriptions were cut, or null.
``cutoffs``, ``worlds``, ``categories``, ``open``
    The k of recall@k to choose from; names; one or two systems that the page opens with.
``mentions``
    Lists of ``n``: ``id``, ``world``, ``category``, ``left``, ``mention``, ``right``, ``gold``.
``entities``
    Lists of ``m``: ``title``, ``sentences`` (how many the description has) and ``text``, a list in
    which a number stands for as many sentences that were left out.
``rows``
    ``system``, ``method``, ``key`` (row key), ``depth`` (candidates a mention), ``views`` (how the
    row reads a description, :func:`views_of`), ``rank`` (``n`` ranks of the gold entity; 0 = not
    among the candidates), ``counts`` (``n`` numbers of candidates that are kept), and of all
    candidates that are kept, mention after mention, ``place`` (rank), ``entity``, ``score``, and
    the view that won as in a run file (:mod:`muver.retriever.retrieval.rows`): ``layer``,
    ``first``, ``last``.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.typed import Count, Settings
from muver.reproduction.report.results import (
    Ranking,
    RunFiles,
    System,
    read_collection,
    read_ranking,
    read_sentences,
)

Data = dict[str, Any]
ORIGINAL = 0  # layers of views of sentences, from this one on
STEPS = (8000, 4000, 2000, 1200, 800, 500, 300)  # characters an entity, tried in turn
MARK = " \u2026"  # stands where a sentence was cut
LEAST = 40  # characters of a sentence that is kept


class Report(Settings):
    """What the page shows, and how much it may hold."""

    results: list[str] | None = None  # tables and figures; None shows all that are there
    mentions: Count = 2000  # at most, drawn evenly from all worlds
    candidates: Count = 10  # of each mention, the gold entity besides
    characters: Count = 6_000_000  # of all descriptions, which keeps a page below 10 MB


def explore(
    systems: Sequence[System], files: RunFiles, settings: Report, problems: list[str]
) -> Data | None:
    """The predictions of all systems on the first one's split whose runs can be read, if any.

    There are none over a knowledge base, whose paragraphs no page could hold.
    """
    first = next((system for system in systems if system.evaluations), None)
    if first is None or first.over_kb:
        return None
    known = [system for system in systems if [*system.evaluations] == [*first.evaluations]]
    collection = read_collection(files, *first.evaluations)
    keep = settings.candidates
    chosen = collection.sample(settings.mentions)
    rankings = {}
    for system in known:
        try:
            rankings[system.name] = read_ranking(system, collection, chosen, keep, files)
        except InputError as error:
            why = files.without_folders(error)
            problems.append(f"{system.method}: its predictions cannot be shown. {why}")
    if not rankings:
        return None
    shown = [system for system in known if system.name in rankings]
    candidates = [ranking.entity for ranking in rankings.values()]
    entities = np.unique(np.concatenate([collection.gold[chosen], *candidates]))
    texts = read_sentences(files, collection.worlds, entities)
    limit = fit([sum(map(len, text)) for text in texts], settings.characters)
    needed = sentences_needed(shown, rankings, entities) if limit is not None else {}

    return {
        "total": len(collection.gold),
        "limit": limit,
        "cutoffs": first.evaluation.cutoffs,
        "worlds": collection.worlds,
        "open": opened(shown),
        **_mentions(
            collection.mentions.take(chosen), collection.world[chosen],
            np.searchsorted(entities, collection.gold[chosen]),
        ),
        "entities": {
            "title": collection.titles.take(pa.array(entities)).to_pylist(),
            "sentences": [len(text) for text in texts],
            "text": [shorten(text, needed.get(n, ()), limit) for n, text in enumerate(texts)],
        },
        "rows": [_row(system, rankings[system.name], entities) for system in shown],
    }  # fmt: skip


def opened(systems: Sequence[System]) -> list[str]:
    """The systems the page opens with: MuVER and BLINK where both are there, else the first.

    Of several BLINKs it is the one that the table tests MuVER against.
    """
    muver = next((system for system in systems if system.method == "MuVER"), None)
    blinks = [system.name for system in systems if system.method.startswith("BLINK")]
    if muver is None or not blinks:
        return [systems[0].name]
    return [muver.name, muver.table.against if muver.table.against in blinks else blinks[0]]


def views_of(settings: Mapping[str, Any]) -> Data:
    """How a row reads a description, from its settings; of a fusion, its first part with views."""
    for part in settings.get("parts", []):
        of_part = views_of(part)
        if of_part["kind"]:
            return of_part
    model = settings.get("model", {})
    model = next(iter(model.get("best_of", {}).values()), model)
    views = model.get("views", {})
    return {
        "kind": views.get("kind"),
        "max_tokens": views.get("max_tokens"),
        "global_tokens": settings.get("global_view", {}).get("max_tokens"),
    }


def _mentions(table: pa.Table, world: np.ndarray, gold: np.ndarray) -> Data:
    """Mentions as the page has them, with the names of their categories; all arrays (n,)."""
    names, category = np.unique(table["category"].fill_null(""), return_inverse=True)
    return {
        "categories": names.tolist(),
        "mentions": {
            "id": table["mention_id"].to_pylist(),
            "world": world.tolist(),
            "category": category.tolist(),
            "left": table["context_left"].to_pylist(),
            "mention": table["mention"].to_pylist(),
            "right": table["context_right"].to_pylist(),
            "gold": gold.tolist(),
        },
    }


def _row(system: System, ranking: Ranking, entities: np.ndarray) -> Data:
    """A row as the page has it; ``entities`` are the numbers of those shown, sorted: (m,)."""
    view = {name: ranking.kept[name].to_pylist() for name in ("layer", "first", "last")}
    return {
        "system": system.name,
        "method": system.method,
        "key": system.key,
        "depth": ranking.depth,
        "views": views_of(system.settings),
        "rank": ranking.rank.tolist(),
        "counts": ranking.counts.tolist(),
        "place": ranking.kept["rank"].to_pylist(),
        "entity": np.searchsorted(entities, ranking.entity).tolist(),
        # A float32 has seven digits; five tell candidates apart by eye, and compress well.
        "score": [float(f"{score:.5g}") for score in ranking.kept["score"].to_pylist()],
        **view,
    }


def sentences_needed(
    systems: Sequence[System], rankings: Mapping[str, Ranking], entities: np.ndarray
) -> dict[int, set[int]]:
    """Numbers of the sentences in the views that won, by entity, where views are of sentences."""
    needed: dict[int, set[int]] = {}
    for system in systems:
        if views_of(system.settings)["kind"] != "sentences":
            continue
        ranking = rankings[system.name]
        layer, first, last = (ranking.kept[key].to_numpy() for key in ("layer", "first", "last"))
        views = np.stack([np.searchsorted(entities, ranking.entity), first, last])
        views = np.unique(views[:, layer >= ORIGINAL], axis=1)
        for entity, start, end in views.T.tolist():
            needed.setdefault(entity, set()).update(range(max(start, 0), end + 1))
    return needed


def fit(lengths: Sequence[int], budget: int) -> int | None:
    """How many characters of each description fit into ``budget``; None for all of them.

    >>> fit([100, 900], 1000), fit([100, 900], 999), fit([100, 900, 100], 700)
    (None, 800, 500)
    """
    if sum(lengths) <= budget:
        return None
    fitting = (step for step in STEPS if sum(min(length, step) for length in lengths) <= budget)
    return next(fitting, STEPS[-1])


def shorten(sentences: Sequence[str], needed: Iterable[int], limit: int | None) -> list[str | int]:
    """The sentences that fit, in their order, with the number of those left out between them.

    Those with numbers in ``needed``, of views that won, must be there; each is cut if there is no
    room for it. ``limit`` is how many characters to keep; None keeps everything.

    >>> shorten(["One.", "Two.", "Three.", "Four."], [2], 10)
    [2, 'Three.', 1]
    """
    if limit is None or sum(map(len, sentences)) <= limit:
        return list(sentences)
    must = [number for number in sorted(set(needed)) if 0 <= number < len(sentences)]
    others = [number for number in range(len(sentences)) if number not in must]
    kept: dict[int, str] = {}
    room = limit
    for place, number in enumerate([*must, *others]):
        left = len(must) - place
        if left <= 0 and kept and room < LEAST:
            break
        sentence, most = sentences[number], max(room // max(left, 1), LEAST)
        kept[number] = sentence if len(sentence) <= most else sentence[:most].rstrip() + MARK
        room -= len(kept[number])
    out: list[str | int] = []
    for inside, numbers in itertools.groupby(range(len(sentences)), kept.__contains__):
        run = [*numbers]
        out += [kept[number] for number in run] if inside else [len(run)]
    return out
