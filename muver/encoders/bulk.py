"""Encoding many token sequences: by length, in batches of so many tokens."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from muver.progress import Progress
from muver.views.layout import Ids

Encode = Callable[[Tensor, Tensor], Tensor]


def pad(
    sequences: Sequence[Ids], device: torch.device | str = "cpu", length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Pad to the longest, or to ``length``.

    Returns
    -------
    (batch, length) ids and the (batch, length) mask of the sequences' own tokens.
    """
    length = length or max(len(ids) for ids in sequences)
    ids = np.zeros((len(sequences), length), dtype=np.int64)
    mask = np.zeros((len(sequences), length), dtype=np.int64)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)


def batches_by_length(lengths: Sequence[int], batch_tokens: int) -> Iterator[np.ndarray]:
    """Group positions by length, so that hardly a batch needs padding.

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
        Maps (batch, length) ids and mask to (batch, dimension) vectors.
    label
        What to call it in progress lines; without one it is silent.

    Returns
    -------
    (len(sequences), dimension) float32 array, rows in the order given.
    """
    vectors = np.empty((len(sequences), dimension), dtype=np.float32)
    progress = Progress(label, len(sequences), "sequences") if label else None
    for rows in batches_by_length([len(ids) for ids in sequences], batch_tokens):
        ids, mask = pad([sequences[row] for row in rows], device)
        vectors[rows] = encode(ids, mask).float().cpu().numpy()
        if progress:
            progress.advance(len(rows))
    if progress:
        progress.finish()
    return vectors
