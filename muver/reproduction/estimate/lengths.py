"""How long views and contexts are: of a sample of the data, else the most that settings allow."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.typed import overlay
from muver.reproduction.estimate.sizes import Base
from muver.reproduction.settings.rows import trained_as
from muver.reproduction.workspace import Graph
from muver.retriever.corpus.kilt.parts import made_parts, open_part

SAMPLE = 300  # entities and mentions that are laid out
VIEWS = 15.33  # of an entity, on average: the paper's Table 3, for ZESHEL's test worlds
Texts = tuple[list[str], list[str], list[list[str]], list[str | None] | None]
SAMPLED, AT_MOST = "those of a sample", "the most that settings allow"


@dataclass(frozen=True)
class Lengths:
    """Mean lengths, which turn counts into tokens."""

    views: float  # of an entity
    tokens: float  # of a view
    training_views: float  # of an entity in training
    context: float  # tokens of a mention in its context
    laying_out: float = 0.0  # seconds that laying out a view takes; 0 without a sample
    origin: str = AT_MOST  # where they are known from


def lengths_of(
    graph: Graph,
    model: str,
    base: Base | None = None,
    kb: Path | None = None,
    start: Path | None = None,
) -> Lengths:
    """Lengths under a model's layouts: of a sample where the data and a tokenizer are here.

    Of a knowledge base the number of views is the base's (paragraphs for views of kind "sentences",
    else one), and contexts have the most tokens that settings allow.

    Parameters
    ----------
    base, kb
        Sizes of the knowledge base, and its folder where that is not the workflow's.
    start
        Folder of a tokenizer; by default that of the encoder that training starts from.
    """
    own = trained_as(graph.settings, model)
    views = own["views"]
    context = overlay(graph.settings["context"], own.get("context", {}))["max_tokens"]
    several = views["kind"] == "sentences"
    mean = base.segments / base.entities if base else VIEWS
    count = mean if several else 1.0
    used = min(count, views.get("training_views") or count)
    most = Lengths(count, views["max_tokens"], used, context)
    if several and not base:
        origin = f"{AT_MOST}, with {VIEWS} views an entity (the paper's mean)"
        most = replace(most, origin=origin)
    start = start or Path(graph.encoder.path)
    if not (start / "tokenizer.json").is_file():
        return most
    if base:
        texts = _base_texts(kb or Path(graph.kb.path))
        if texts is None:
            return most
        _, tokens, took = _lay_out(texts, views, start)
        return replace(most, tokens=tokens, laying_out=took, origin=SAMPLED)
    paths = [Path(graph.texts[name].path) for name in ("entities", "mentions", "sentences")]
    if not all(path.is_file() for path in paths):
        return most
    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.encoders.tokens import Pieces
    from muver.retriever.views.worlds import context_ids

    mentions = read_mentions(paths[1], "test").slice(0, SAMPLE)
    if not mentions.num_rows:
        return most
    texts = _world_texts(paths[0], paths[2], mentions["world"][0].as_py())
    counts, tokens, took = _lay_out(texts, views, start)
    used = np.minimum(counts, views.get("training_views") or counts.max()).mean()
    ids = context_ids(mentions, Pieces(start), {"max_tokens": context})
    length = np.mean([len(one) for one in ids])
    return Lengths(float(counts.mean()), tokens, float(used), float(length), took, SAMPLED)


def _world_texts(entities: Path, sentences: Path, world: str) -> Texts:
    """Titles, texts, sentences and types of the first entities of a world."""
    from muver.retriever.corpus.schema import read_entities, read_sentences

    sample = read_entities(entities, [world]).slice(0, SAMPLE)
    split = read_sentences(sentences, [world])["sentences"].slice(0, SAMPLE).to_pylist()
    titles, texts, types = (sample[name].to_pylist() for name in ("title", "text", "type"))
    return titles, texts, split, types


def _base_texts(kb: Path) -> Texts | None:
    """The same of the first entities of a knowledge base; None before it has any."""
    for number in made_parts(kb):
        for batch in open_part(kb, number).batches(("title", "paragraphs"), SAMPLE):
            if batch.num_rows:
                titles, paragraphs = (batch.column(n).to_pylist() for n in ("title", "paragraphs"))
                return titles, [" ".join(some) for some in paragraphs], paragraphs, None
    return None


def _lay_out(sample: Texts, views: dict[str, Any], start: Path) -> tuple[np.ndarray, float, float]:
    """(entities,) numbers of views, a view's mean length, and the seconds that one takes."""
    from muver.retriever.encoders.tokens import Pieces
    from muver.retriever.views.build import entity_views

    pieces = Pieces(start)
    titles, texts, sentences, types = sample
    started = time.perf_counter()
    laid_out = list(entity_views(titles, texts, sentences, views, pieces, types))
    took = time.perf_counter() - started
    counts = np.array([len(some) for some in laid_out])
    tokens = float(np.mean([len(view.ids) for some in laid_out for view in some]))
    return counts, tokens, took / counts.sum()
