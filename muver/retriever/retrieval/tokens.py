"""Scores by token vectors (SOM): entities are encoded chunk by chunk and never stored."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

import numpy as np
import torch
from torch import Tensor

from muver.io.errors import disk_errors
from muver.io.progress import Progress
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_by_length
from muver.retriever.encoders.scores import sum_of_max
from muver.retriever.vectors.pooled import pool
from muver.retriever.views.layout import Ids

MEGABYTE = 2**20
IN_CACHE = 4  # mentions whose products with a chunk stay near a processor


class TokenVectors(NamedTuple):
    """Token vectors of some sequences."""

    rows: np.ndarray  # (some,) the numbers of these sequences
    vectors: Tensor | np.ndarray  # (some, length, d) float32
    mask: Tensor  # (some, length), 1 at the positions that take part in the score


@torch.inference_mode()
def score_world(
    model: BiEncoder,
    contexts: Sequence[Ids],
    entities: Sequence[Ids],
    batch_tokens: int,
    label: str = "entities",
    memory_mb: int = 256,
    pool_to: int | None = None,
) -> np.ndarray:
    """Sum-of-max scores of every mention with every entity of a world.

    (mentions, entities) float32. The mentions' token vectors (mentions x 128 x d floats) lie in a
    temporary file; the entities' exist one chunk at a time.

    ``batch_tokens`` are the padded tokens in one pass through an encoder. ``memory_mb`` bounds the
    token vectors and their products held at a time, beside the result and the encoder's own memory;
    one mention and one entity are always computed. ``pool_to`` is how many vectors an entity keeps
    at most, means of similar ones.
    """
    device, (pad_contexts, pad_views) = model.device, model.config.pad_to
    scores = np.empty((len(contexts), len(entities)), dtype=np.float32)
    budget = memory_mb * MEGABYTE
    longest = max([pad_contexts or 0, *(len(ids) for ids in contexts)])
    progress = Progress(label, len(entities), "entities")
    with tempfile.TemporaryFile() as file:
        where = batch_tokens, device, pad_contexts
        held = [
            _to_disk(file, TokenVectors(rows, vectors, batch.mask))
            for rows, batch, vectors in encode_by_length(model.encode_mentions, contexts, *where)
        ]
        # A token of an entity takes its vector and, for each token of a mention, two floats.
        token_bytes = 4 * held[0].vectors.shape[2] + 8 * longest
        chunk_tokens = min(batch_tokens, budget // (2 * token_bytes))
        where = chunk_tokens, device, pad_views
        for rows, batch, vectors in encode_by_length(model.encode_views, entities, *where):
            chunk = TokenVectors(rows, vectors, batch.mask)
            if pool_to:
                chunk = _pooled(chunk, pool_to)
            for few in _few_at_a_time(held, chunk, budget, device):
                at_once = len(few.rows) if device.type == "cuda" else IN_CACHE
                with float32_sums(device):
                    part = sum_of_max(*few[1:], *chunk[1:], rows=at_once)
                scores[np.ix_(few.rows, chunk.rows)] = part.cpu().numpy()
            progress.advance(len(chunk.rows))
    progress.finish()
    return scores


@contextmanager
def float32_sums(device: torch.device) -> Iterator[None]:
    """Sum products in float32. Where the precision is bf16, vectors are rounded to it first, which
    is several times as fast on processors with AMX and moves a cosine by less than 0.001.
    """
    before = torch.get_float32_matmul_precision()
    if torch.is_autocast_enabled(device.type):
        torch.set_float32_matmul_precision("medium")
    try:
        with torch.autocast(device.type, enabled=False):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def _pooled(chunk: TokenVectors, most: int) -> TokenVectors:
    """The chunk with at most so many vectors a sequence."""
    vectors, mask = chunk.vectors.cpu().numpy(), chunk.mask.cpu().numpy().astype(bool)
    each = [pool(of_entity[real], most)[0] for of_entity, real in zip(vectors, mask, strict=True)]
    lengths = torch.tensor([len(of_entity) for of_entity in each])
    padded = torch.nn.utils.rnn.pad_sequence(list(map(torch.from_numpy, each)), True)
    kept = torch.arange(padded.shape[1]) < lengths[:, None]
    where = chunk.mask.device
    return TokenVectors(chunk.rows, padded.to(where), kept.to(where, chunk.mask.dtype))


def _to_disk(file: BinaryIO, batch: TokenVectors) -> TokenVectors:
    """Append the vectors to the file and memory-map them there."""
    vectors = np.ascontiguousarray(batch.vectors.cpu().numpy())
    offset = file.tell()
    hint = "TMPDIR names another folder for temporary files."
    with disk_errors(tempfile.gettempdir(), hint):
        file.write(vectors)
        file.flush()
    mapped = np.memmap(file, np.float32, "c", offset, vectors.shape)  # torch asks for writable ones
    file.seek(0, os.SEEK_END)
    return batch._replace(vectors=mapped)


def _few_at_a_time(
    held: list[TokenVectors], chunk: TokenVectors, budget: int, device: torch.device
) -> Iterator[TokenVectors]:
    """Groups of mentions whose products with the chunk stay within the budget (bytes)."""
    entities, length, dimension = chunk.vectors.shape
    left = budget - 4 * chunk.vectors.numel()
    for batch in held:
        mention_bytes = batch.vectors.shape[1] * (4 * dimension + 8 * entities * length)
        step = max(left // mention_bytes, 1)
        for start in range(0, len(batch.rows), step):
            span = slice(start, start + step)
            vectors = torch.from_numpy(batch.vectors[span]).to(device)
            yield TokenVectors(batch.rows[span], vectors, batch.mask[span])
