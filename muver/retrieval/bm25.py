"""BM25, the lexical row: words of the mention against words of title and description."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

from muver.corpus.schema import read_entities, read_mentions
from muver.io.checking import check_choices, with_defaults
from muver.io.errors import InputError
from muver.io.files import write_manifest
from muver.io.progress import Progress
from muver.retrieval.exact import rank_scores
from muver.retrieval.rows import Origins, RunRows, candidates

DEFAULTS = {
    "k1": 1.2,
    "b": 0.75,
    "method": "lucene",
    "query": "mention",
    "stopwords": None,
    "document_tokens": None,
    "split": "test",
    "k": 64,
    "match": "title",
}
CHOICES = {
    "method": ("lucene", "robertson", "atire", "bm25l", "bm25+"),
    "query": ("mention", "mention_and_context"),
    "stopwords": (None, "en"),
}
SCORES_HELD = 16 * 2**20  # float32 scores of a block of mentions: 64 MB


class BM25:
    """An index of documents that scores queries against all of them.

    Words are runs of two or more letters, digits or underscores, lower-cased; a word that stands
    twice in a query counts twice, one that no document has counts nothing.

    Parameters
    ----------
    documents : (documents,)
    k1, b
        Saturation of a word's count, and how much a document's length matters.
    method
        Variant of the formula, as bm25s names them.
    stopwords
        None keeps every word; "en" leaves out English function words.

    References
    ----------
    Kamphuis et al., Which BM25 do you mean?, ECIR 2020, table 1.
    """

    def __init__(
        self,
        documents: Sequence[str],
        k1: float = 1.2,
        b: float = 0.75,
        method: str = "lucene",
        stopwords: str | None = None,
    ):
        self._stopwords = stopwords
        self._documents = len(documents)
        words = bm25s.tokenize(
            list(documents), stopwords=stopwords or [], show_progress=False, return_ids=True
        )
        self._index = None
        if words.vocab:  # bm25s cannot index documents without a single word
            self._index = bm25s.BM25(k1=k1, b=b, method=method)
            self._index.index(words, create_empty_token=False, show_progress=False)

    def scores(self, queries: Sequence[str]) -> np.ndarray:
        """Scores of all documents: (queries, documents) float32, 0 where no word is shared."""
        scores = np.zeros((len(queries), self._documents), dtype=np.float32)
        if self._index is None or not queries:
            return scores
        words = bm25s.tokenize(
            list(queries), stopwords=self._stopwords or [], show_progress=False, return_ids=False
        )
        for row, query in enumerate(words):
            scores[row] = self._index.get_scores_from_ids(self._index.get_tokens_ids(query))
        return scores


def retrieve_bm25(
    entities: Path, mentions: Path, run: Path, manifest: Path, settings: dict[str, Any]
) -> None:
    """Rank the entities of each mention's world and write the run.

    Parameters
    ----------
    settings
        ``k1``, ``b``, ``method``, ``stopwords`` of :class:`BM25`; ``query`` ("mention" or
        "mention_and_context"); ``document_tokens`` (space tokens of the description that are
        indexed after the title; None for all); ``split``, ``k`` and ``match`` as for every run.
        What is left out has its default.

    Notes
    -----
    Ties, mentions of unknown words included, go to the entity that stands first in the world.
    """
    settings = check_settings(settings)
    table = read_mentions(mentions, settings["split"])
    if table.num_rows == 0:
        raise InputError(f"{mentions}: no mentions in split {settings['split']!r}.")
    rows = RunRows()
    progress = Progress("ranking", table.num_rows, "mentions")
    worlds = np.array(table["world"].to_pylist(), dtype=object)
    for name in dict.fromkeys(worlds):
        own = table.take(np.flatnonzero(worlds == name)).to_pylist()
        world = read_entities(entities, [name]).to_pylist()
        titles = [entity["title"] for entity in world]
        index = BM25(
            [document(entity, settings["document_tokens"]) for entity in world],
            **{key: settings[key] for key in ("k1", "b", "method", "stopwords")},
        )
        candidate_of = candidates(titles, settings["match"])
        no_views = np.full(len(world), -1)
        block = max(SCORES_HELD // len(world), 1)
        for start in range(0, len(own), block):
            part = own[start : start + block]
            scores = index.scores([query(mention, settings["query"]) for mention in part])
            ranking = rank_scores(scores, candidate_of, settings["k"])
            ids = [mention["mention_id"] for mention in part]
            rows.add(name, ids, titles, ranking, Origins(no_views, no_views, no_views))
            progress.advance(len(part))
    progress.finish()
    rows.write(run, table["mention_id"].to_pylist())
    write_manifest(manifest, "retrieve", settings, {}, counts=None)


def document(entity: dict[str, Any], tokens: int | None = None) -> str:
    """Title and description of an entity; of the description its first ``tokens`` space tokens."""
    text = entity["text"]
    if tokens is not None:
        text = " ".join(text.split(" ")[:tokens])
    return f"{entity['title']} {text}"


def query(mention: dict[str, Any], kind: str) -> str:
    """The words that are looked for: those of the mention, or of its context as well."""
    if kind == "mention":
        return mention["mention"]
    return f"{mention['context_left']} {mention['mention']} {mention['context_right']}"


def check_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Settings with their defaults.

    Raises
    ------
    InputError
        For an unknown key or a value that is not allowed.
    """
    settings = with_defaults(given, DEFAULTS)
    check_choices(settings, CHOICES)
    if not settings["k1"] >= 0:
        raise InputError(f"--settings: k1 is {settings['k1']!r}, expected 0 or more.")
    if not 0 <= settings["b"] <= 1:
        raise InputError(f"--settings: b is {settings['b']!r}, expected 0 to 1.")
    for key in ("k", "document_tokens"):
        if settings[key] is not None and settings[key] < 1:
            raise InputError(f"--settings: {key} is {settings[key]!r}, expected at least 1.")
    return settings
