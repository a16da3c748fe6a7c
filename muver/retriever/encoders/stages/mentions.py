"""Encode the mentions of a benchmark over a knowledge base."""

from pathlib import Path

from muver.io.progress import logger
from muver.retriever.corpus.schema import read_linked_mentions
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.encoders.settings import Encoding
from muver.retriever.encoders.stages.encoder import Encoder
from muver.retriever.vectors.part import MENTIONS, write_part
from muver.retriever.views.worlds import context_ids


def encode_mentions(
    model_folder: str | Path, mentions: str | Path, out: str | Path, settings: Encoding
) -> None:
    """Encode all mentions of a set in their contexts, even those with gold outside the base.

    ``mentions`` is a Parquet file of `muver stage link`. ``out`` is the .npy of the part to write,
    (mentions, d) float32 in the table's order.
    """
    table = read_linked_mentions(mentions)
    model = model_fingerprint(model_folder)
    encoder = Encoder(Path(model_folder), settings)
    config = encoder.model.config
    encoder.model.require_positions("context.max_tokens", config.context.max_tokens)
    contexts = context_ids(table, encoder.model.pieces, config.context)
    vectors = encoder.mentions(contexts)
    write_part(out, vectors, [table.select(MENTIONS.names)], {"model": model})
    logger.info("%s: %d mentions", out, len(vectors))
