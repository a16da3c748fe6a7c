"""How long views and contexts are: of a sample of the data, else the most that settings allow."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from muver.estimate.sizes import Base, parts_of
from muver.io.typed import overlay
from muver.settings.rows import trained_as
from muver.workspace import Graph

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
    laying_out: float = 0.0  # seconds that laying out a view takes; 0 without a sample
    origin: str = AT_MOST  # where they are known from


class Sample(NamedTuple):
    """Some entities, and of worlds some mentions."""

    titles: list[str]
    texts: list[str]
    sentences: list[list[str]]
    types: list[str | None] | None = None
    mentions: pa.Table | None = None


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
    start = start or Path(graph.start.path)
    if not (start / "tokenizer.json").is_file():
        return most
    sample = base_sample(kb or Path(graph.kb.path)) if base else world_sample(graph)
    if sample is None:
        return most
    counts, tokens, took = _lay_out(sample, views, start)
    if base:
        return replace(most, tokens=tokens, laying_out=took, origin=SAMPLED)
    from muver.encoders.tokens import WordPieces
    from muver.views.worlds import context_ids

    used = np.minimum(counts, views.get("training_views") or counts.max())
    ids = context_ids(sample.mentions, WordPieces(start), context)
    means = (float(np.mean(one)) for one in (used, [len(one) for one in ids]))
    return Lengths(float(counts.mean()), tokens, *means, took, SAMPLED)


def world_sample(graph: Graph) -> Sample | None:
    """Entities of the first mention's world, and mentions; None before there is a corpus."""
    from muver.corpus.schema import read_entities, read_mentions, read_sentences

    paths = [Path(graph.texts[name].path) for name in ("entities", "mentions", "sentences")]
    if not all(path.is_file() for path in paths):
        return None
    mentions = read_mentions(paths[1], "test").slice(0, SAMPLE)
    if not mentions.num_rows:
        return None
    world = mentions["world"][0].as_py()
    entities = read_entities(paths[0], [world]).slice(0, SAMPLE)
    sentences = read_sentences(paths[2], [world])["sentences"].slice(0, SAMPLE).to_pylist()
    titles, texts, types = (entities[name].to_pylist() for name in ("title", "text", "type"))
    return Sample(titles, texts, sentences, types, mentions)


def base_sample(kb: Path) -> Sample | None:
    """The first entities of a knowledge base; None before it has any."""
    for part in parts_of(kb):
        for batch in part.batches(("title", "paragraphs"), SAMPLE):
            if batch.num_rows:
                titles, paragraphs = (batch.column(n).to_pylist() for n in ("title", "paragraphs"))
                return Sample(titles, [" ".join(some) for some in paragraphs], paragraphs)
    return None


def _lay_out(sample: Sample, views: dict[str, Any], start: Path) -> tuple[np.ndarray, float, float]:
    """(entities,) numbers of views, a view's mean length, and the seconds that one takes."""
    from muver.encoders.tokens import WordPieces
    from muver.views.build import entity_views

    pieces = WordPieces(start)
    started = time.perf_counter()
    laid_out = list(entity_views(*sample[:3], views, pieces, sample.types))
    took = time.perf_counter() - started
    counts = np.array([len(some) for some in laid_out])
    tokens = float(np.mean([len(view.ids) for some in laid_out for view in some]))
    return counts, tokens, took / counts.sum()
