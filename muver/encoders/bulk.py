"""Encoding many token sequences: by length, in batches of so many tokens."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from muver.encoders.packing import Packed, pack
from muver.progress import Progress
from muver.views.layout import Ids

Encode = Callable[[Packed], Tensor]


def batches_by_length(lengths: Sequence[int], batch_tokens: int) -> Iterator[np.ndarray]:
    """Group positions by length, so that most of a batch is attended to in one block.

    Yields
    ------
    Arrays of positions into ``lengths``; rows x longest row is at most ``batch_tokens`` (one row
    at least). Longest first, so that too small a memory shows at once.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    start = 0
    while start < len(order):
        rows = max(batch_tokens // max(int(lengths[order[start]]), 1), 1)
        yield order[start : start + rows]
        start += rows


@torch.inference_mode()
def encode_vectors(
    encode: Encode,
    sequences: Sequence[Ids],
    dimension: int,
    batch_tokens: int,
    device: torch.device | str = "cpu",
    label: str | None = None,
) -> np.ndarray:
    """Encode sequences to one vector each.

    Parameters
    ----------
    encode
        Maps a batch to (batch, dimension) vectors.
    label
        What to call it in progress lines; without one it is silent.

    Returns
    -------
    (len(sequences), dimension) float32 array, rows in the order given.
    """
    vectors = np.empty((len(sequences), dimension), dtype=np.float32)
    progress = Progress(label, len(sequences), "sequences") if label else None
    for rows in batches_by_length([len(ids) for ids in sequences], batch_tokens):
        batch = pack([sequences[row] for row in rows], device)
        vectors[rows] = encode(batch).float().cpu().numpy()
        if progress:
            progress.advance(len(rows))
    if progress:
        progress.finish()
    return vectors
