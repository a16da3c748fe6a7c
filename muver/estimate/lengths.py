"""How long views and contexts are: of a sample of the data, else the most that settings allow."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from muver.estimate.sizes import Base, Settings, parts_of
from muver.io.errors import InputError
from muver.workspace import LinkedWorkspace, Workspace

SAMPLE = 300  # entities and mentions that are laid out
VIEWS = 15.33  # of an entity, on average: the paper's Table 3, for ZESHEL's test worlds
SAMPLED, AT_MOST = "those of a sample", "the most that settings allow"


@dataclass(frozen=True)
class Lengths:
    """Means by which counts become tokens."""

    views: float  # of an entity
    tokens: float  # of a view
    training_views: float  # of an entity in training
    context: float  # tokens of a mention in its context
    laying_out: float = 0.0  # seconds that laying out a view takes; 0 where no sample tells
    origin: str = AT_MOST  # where they are known from


def world_lengths(settings: Settings, folder: Path, model: Mapping[str, Any]) -> Lengths:
    """Lengths under a model's layouts: of a sample where corpus, sentences and start are here.

    Parameters
    ----------
    model
        Its entry with ``views`` and ``context``.
    """
    workspace, views = Workspace(settings), model["views"]
    paths = [
        folder / file for file in (workspace.entities, workspace.mentions, workspace.sentences)
    ]
    start = folder / workspace.root / "start"
    if all(path.is_file() for path in (*paths, start / "tokenizer.json")):
        try:
            return _sampled_worlds(paths, start, model)
        except InputError:
            pass  # half of a corpus: the most that settings allow is said
    if views["kind"] == "sentences":
        origin = f"{AT_MOST}, with {VIEWS} views an entity (the paper's mean)"
        return replace(_at_most(model, VIEWS), origin=origin)
    return _at_most(model, 1.0)


def base_lengths(
    settings: Settings,
    folder: Path,
    model: Mapping[str, Any],
    base: Base,
    kb: Path | None = None,
    start: Path | None = None,
) -> Lengths:
    """Lengths of views of a knowledge base: of its first entities where these and start are here.

    Paragraphs are views of kind "sentences"; of kind "prefix" an entity has one.
    """
    workspace, views = LinkedWorkspace(settings), model["views"]
    count = base.segments / base.entities if views["kind"] == "sentences" else 1.0
    lengths = _at_most(model, count)
    start = start or folder / workspace.root / "start"
    if not (start / "tokenizer.json").is_file():
        return lengths
    for part in parts_of(kb or folder / workspace.kb):
        for batch in part.batches(("title", "paragraphs"), SAMPLE):
            if batch.num_rows:
                titles, paragraphs = (batch.column(n).to_pylist() for n in ("title", "paragraphs"))
                texts = [" ".join(some) for some in paragraphs]
                counts, tokens, took = _lay_out(titles, texts, paragraphs, None, views, start)
                return replace(lengths, tokens=tokens, laying_out=took, origin=SAMPLED)
    return lengths


def _at_most(model: Mapping[str, Any], count: float) -> Lengths:
    """The most that settings allow, for so many views an entity."""
    views = model["views"]
    used = min(count, views.get("training_views") or count)
    return Lengths(count, views["max_tokens"], used, model["context"]["max_tokens"])


def _sampled_worlds(paths: list[Path], start: Path, model: Mapping[str, Any]) -> Lengths:
    from muver.corpus.schema import read_entities, read_mentions, read_sentences
    from muver.encoders.tokens import WordPieces
    from muver.views.worlds import context_ids

    mentions = read_mentions(paths[1], "test").slice(0, SAMPLE)
    if not mentions.num_rows:
        raise InputError("no mentions in split 'test'.")
    world = mentions["world"][0].as_py()
    entities = read_entities(paths[0], [world]).slice(0, SAMPLE)
    sentences = read_sentences(paths[2], [world])["sentences"].slice(0, SAMPLE)
    columns = (entities[name].to_pylist() for name in ("title", "text", "type"))
    titles, texts, types = columns
    counts, tokens, took = _lay_out(
        titles, texts, sentences.to_pylist(), types, model["views"], start
    )
    used = np.minimum(counts, model["views"].get("training_views") or counts.max())
    ids = context_ids(mentions, WordPieces(start), model["context"]["max_tokens"])
    return Lengths(
        float(counts.mean()),
        tokens,
        float(used.mean()),
        float(np.mean([len(own) for own in ids])),
        took,
        SAMPLED,
    )


def _lay_out(
    titles: list[str],
    texts: list[str],
    sentences: list[list[str]],
    types: list[str | None] | None,
    views: Mapping[str, Any],
    start: Path,
) -> tuple[np.ndarray, float, float]:
    """(entities,) numbers of views, a view's mean length, and the seconds that one takes."""
    from muver.encoders.tokens import WordPieces
    from muver.views.build import entity_views

    pieces = WordPieces(start)
    started = time.perf_counter()
    laid_out = list(entity_views(titles, texts, sentences, dict(views), pieces, types))
    took = time.perf_counter() - started
    counts = np.array([len(some) for some in laid_out])
    tokens = float(np.mean([len(view.ids) for some in laid_out for view in some]))
    return counts, tokens, took / counts.sum()
