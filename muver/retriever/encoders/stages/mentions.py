"""Encode the mentions of a benchmark over a knowledge base."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.io.files import sha256_of
from muver.io.progress import logger
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.encoders.settings import Encoding
from muver.retriever.encoders.stages.encoder import Encoder
from muver.retriever.vectors.mentions import write_mentions
from muver.retriever.views.worlds import context_ids

COLUMNS = ("context_left", "mention", "context_right")


def encode_mentions(
    model_folder: str | Path, mentions: str | Path, out: str | Path, settings: Encoding
) -> None:
    """Encode all mentions of a set in their contexts, even those with gold outside the base.

    ``mentions`` is a Parquet file of `muver link`. ``out`` is the .npy to write, (mentions, d)
    float32 in the table's order; its manifest has the same name with ``.json``.
    """
    table = _contexts(mentions)
    model = model_fingerprint(model_folder)
    encoder = Encoder(Path(model_folder), settings)
    config = encoder.model.config
    encoder.model.require_positions("context.max_tokens", config.context["max_tokens"])
    contexts = context_ids(table, encoder.model.pieces, config.context)
    vectors = encoder.mentions(contexts)
    own = {"precision": settings.precision}
    write_mentions(out, vectors, model, sha256_of(mentions), own)
    logger.info("%s: %d mentions", out, len(vectors))


def _contexts(path: str | Path) -> pa.Table:
    try:
        table = pq.read_table(path, columns=list(COLUMNS), partitioning=None)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. `muver link` writes it.") from None
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{path}: not a table of mentions, or damaged ({error}). Run `muver link` again."
        ) from None
    if not table.num_rows:
        raise InputError(f"{path}: has no mentions. Run `muver link` again.")
    return table
