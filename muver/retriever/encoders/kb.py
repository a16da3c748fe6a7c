"""Encode one part of a knowledge base in bounded memory, and a benchmark's mentions."""

from pathlib import Path
from typing import Literal

import numpy as np

from muver.io.errors import InputError
from muver.io.parquet import batches
from muver.io.progress import Progress, logger
from muver.io.text import counted
from muver.retriever.corpus.knowledge_base import MadePart, open_part
from muver.retriever.corpus.schema import read_linked_mentions
from muver.retriever.encoders.encode import Encoder, encode
from muver.retriever.encoders.encoders_settings import Encoding
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.vectors.part import MENTIONS, write_part
from muver.retriever.vectors.shards import part_name, write_shard
from muver.retriever.views.build import entity_views

DTYPES = {"fp16": np.float16, "fp32": np.float32}
COLUMNS = ["title", "paragraphs"]
ENTITIES = 4096  # to lay out and encode at a time


class Part(Encoding):
    """A part of a knowledge base; ``dtype`` is the type of the vectors on disk."""

    dtype: Literal["fp16", "fp32"]


def encode_part(
    model_folder: str | Path,
    kb: str | Path,
    number: int,
    out: str | Path,
    settings: Part,
    texts: str | Path | None = None,
) -> None:
    """Encode the views of one part of a knowledge base.

    The model says what views are. For the kind "sentences" the paragraphs are laid out as sentences
    are, so that with ``min_pieces`` 1 each is a view. For the kind "prefix" one view has the title
    and all paragraphs, joined by spaces. An entity without paragraphs has one view, of its title.

    Memory holds the part's vectors in ``dtype``, its ``texts`` if there are any, and
    :data:`ENTITIES` entities with their views. If the model's vectors cannot be searched by
    products, or ``dtype`` cannot hold a value, nothing is written.

    Parameters
    ----------
    kb
        Folder of the knowledge base; of its parts only this one has to be there.
    texts
        Folder of `muver stage kb-texts`, if the model's views name a ``text``: an entity's text
        from there replaces its paragraphs.
    """
    part = open_part(kb, number)
    described = part if texts is None else open_part(texts, number)
    path = Path(out) / part_name(number)
    encoder = Encoder(Path(model_folder), settings)
    config = encoder.model.config
    if config.metric != "dot":
        raise InputError(
            f"{model_folder}: compares by metric {config.metric!r}, and parts of vectors are "
            "searched by inner products. Take a model with metric 'dot'."
        )
    if (texts is None) == bool(config.views.text):
        raise InputError(
            f"{model_folder}: its views name {config.views.text or 'no'} text. --texts, the "
            "folder that `muver stage kb-texts` wrote, goes with a model whose views name one."
        )
    dtype = DTYPES[settings.dtype]
    vectors, counts = _encode(encoder, described, dtype, f"views of {path.stem}")
    if not np.isfinite(vectors).all():
        raise InputError(
            f"{path}: a view's vector has values that {settings.dtype} cannot hold. Set dtype "
            "to fp32; if it is that, the model's weights are not those of a model."
        )
    write_shard(out, number, vectors, counts, part.first, model_fingerprint(model_folder))


def _encode(
    encoder: Encoder, part: MadePart, dtype: type[np.floating], label: str
) -> tuple[np.ndarray, np.ndarray]:
    """(views, d) vectors and each entity's number of views, (entities,)."""
    layout, pieces = encoder.model.config.views, encoder.model.pieces
    most = part.entities if layout.kind == "prefix" else part.segments
    vectors = np.empty((most, encoder.model.dimension), dtype)
    counts = np.empty(part.entities, np.int64)
    progress = Progress(label, part.entities, "entities")
    entity = row = 0
    for batch in batches(part.path, ENTITIES, COLUMNS):
        titles, paragraphs = (batch.column(name).to_pylist() for name in COLUMNS)
        texts = [" ".join(page) for page in paragraphs] if layout.kind == "prefix" else titles
        views = list(entity_views(titles, texts, paragraphs, layout, pieces))
        sizes = [len(of_entity) for of_entity in views]
        flat = [view.ids for of_entity in views for view in of_entity]
        with np.errstate(over="ignore"):  # infinite values are refused at the end
            vectors[row : row + len(flat)] = encoder.views(flat, None)
        counts[entity : entity + len(sizes)] = sizes
        entity, row = entity + len(sizes), row + len(flat)
        progress.advance(len(sizes), f"{row} views")
    progress.finish()
    return vectors[:row], counts


def encode_mentions(
    model_folder: str | Path, mentions: str | Path, out: str | Path, settings: Encoding
) -> None:
    """Encode the mentions that `muver stage link` matched to a knowledge base.

    In their contexts, also those with gold outside the base.

    ``mentions`` is a Parquet file of `muver stage link`. ``out`` is the .npy of the part to write,
    (mentions, d) float32 in the table's order.
    """
    table = read_linked_mentions(mentions)
    model = model_fingerprint(model_folder)
    encoder = Encoder(Path(model_folder), settings)
    config = encoder.model.config
    encoder.model.require_positions("context.max_tokens", config.context.max_tokens)
    vectors = encode(table, encoder)
    write_part(out, [(table.select(MENTIONS.names), vectors)], {"model": model})
    logger.info("%s: %s", out, counted(len(vectors), "mention"))
