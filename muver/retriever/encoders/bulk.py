"""Encode many token sequences in batches of similar length."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import groupby
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from muver.io.errors import InputError
from muver.io.progress import Progress, logger
from muver.retriever.views.layout import Ids


@dataclass(frozen=True)
class Packed:
    """A batch of sequences as a tower reads it, longest first."""

    ids: Tensor  # (tokens,) int64
    positions: Tensor  # (tokens,) int64, of each token in its sequence
    rows: Tensor  # (tokens,) int64: which of the given sequences a token belongs to
    offsets: Tensor  # (sequences + 1,) int64: where each begins, and the end
    blocks: list[tuple[int, int]]  # (sequences, length) of each run of equal length
    # (sequences, length) bool: the attended positions of sequences that were padded on purpose
    # (then there is one block, in the order given); None if all are attended.
    keys: Tensor | None

    def __len__(self) -> int:
        return sum(rows for rows, _ in self.blocks)

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence."""
        return self.blocks[0][1]

    @cached_property
    def mask(self) -> Tensor:
        """(sequences, longest) 1 at every position that has a state, in the order given."""
        return self.unpack(torch.ones_like(self.ids))

    @property
    def attended(self) -> Tensor:
        """(sequences, longest) True at every attended position, in the order given."""
        return self.mask.bool() if self.keys is None else self.keys

    def padded_with(self, piece: int) -> "Packed":
        """The same batch with this piece as its padding on purpose."""
        if self.keys is None or piece == 0:
            return self
        return replace(self, ids=self.ids.where(self.keys.flatten(), piece))

    def unpack(self, values: Tensor) -> Tensor:
        """Values by token, (tokens, ...), as (sequences, longest, ...) in the order given.

        Sequences that are shorter end with zeros.
        """
        padded = values.new_zeros((len(self), self.longest, *values.shape[1:]))
        return padded.index_put((self.rows, self.positions), values)


def onto(values: np.ndarray | Tensor, device: torch.device | str) -> Tensor:
    """An array on a device; a GPU copies it by itself, and nobody waits for it."""
    tensor = torch.as_tensor(values)
    if torch.device(device).type != "cuda":
        return tensor
    return tensor.pin_memory().to(device, non_blocking=True)


def pack(
    sequences: Sequence[Ids], device: torch.device | str = "cpu", pad_to: int | None = None
) -> Packed:
    """Lay out sequences, at least one and none of them empty, for a tower.

    With ``pad_to``, every sequence is padded with id 0 to this length. Padding attends to the
    sequence but is not attended itself; its states are computed.
    """
    lengths = np.array([len(ids) for ids in sequences])
    keys = None
    if pad_to is not None:
        keys = onto(np.arange(pad_to) < lengths[:, None], device)
        sequences = [[*ids, *[0] * (pad_to - len(ids))] for ids in sequences]
        lengths[:] = pad_to
    order = np.argsort(-lengths, kind="stable")
    sizes = lengths[order]
    ids = np.concatenate([np.asarray(sequences[row], dtype=np.int64) for row in order])
    offsets = np.cumsum([0, *sizes])
    positions = np.arange(len(ids)) - np.repeat(offsets[:-1], sizes)
    rows = np.repeat(order, sizes)
    blocks = [(len(list(same)), int(length)) for length, same in groupby(sizes)]
    tensors = (onto(array, device) for array in (ids, positions, rows, offsets))
    return Packed(*tensors, blocks=blocks, keys=keys)


Encode = Callable[[Packed], Tensor]
T = TypeVar("T")


def batches_by_length(lengths: Sequence[int], batch_tokens: int) -> Iterator[np.ndarray]:
    """Group positions by length, so that most of a batch is attended to in one block.

    The longest come first, so that too small a memory shows at once. Rows x longest row is at most
    ``batch_tokens``, but a batch has at least one row.
    """
    rest = _longest_first(lengths)
    while len(rest):
        yield (rows := _batch(rest, lengths, batch_tokens))
        rest = rest[len(rows) :]


def encode_by_length(
    encode: Encode,
    sequences: Sequence[Ids],
    batch_tokens: int,
    device: torch.device | str = "cpu",
    pad_to: int | None = None,
) -> Iterator[tuple[np.ndarray, Packed, Tensor]]:
    """Encode sequences batch by batch; yield positions, their batch, and its vectors in float32.

    ``encode`` maps a batch to (batch, d) or (batch, length, d) vectors; with ``pad_to`` every
    sequence is padded to this length. If a batch does not fit a GPU's memory, it and all later ones
    get half the tokens, and a warning says so.
    """
    may_fork()
    lengths = [pad_to or len(ids) for ids in sequences]
    rest = _longest_first(lengths)
    while len(rest):
        rows = _batch(rest, lengths, batch_tokens)
        encoded = None
        with contextlib.suppress(torch.OutOfMemoryError):
            batch = pack([sequences[row] for row in rows], device, pad_to)
            encoded = encode(batch).float()
        if encoded is None:
            batch_tokens = _fewer(len(rows), lengths[rows[0]])
            continue
        yield rows, batch, encoded
        rest = rest[len(rows) :]


def _one_behind(items: Iterator[T]) -> Iterator[T]:
    """The same items, each once the next is begun: a GPU computes while one is copied from it.

    >>> list(_one_behind(iter("abc")))
    ['a', 'b', 'c']
    """
    before: list[T] = []
    for item in items:
        yield from before
        before = [item]
    yield from before


@cache
def may_fork() -> None:
    """Let processes that are forked from this one compute too, in one thread each.

    The threads that torch has started here are not in them, and it would wait for these for ever.
    """
    os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))


def _longest_first(lengths: Sequence[int]) -> np.ndarray:
    return np.argsort(-np.asarray(lengths), kind="stable")


def _batch(order: np.ndarray, lengths: Sequence[int], batch_tokens: int) -> np.ndarray:
    """The positions at the start of ``order`` that make a batch."""
    return order[: max(batch_tokens // max(int(lengths[order[0]]), 1), 1)]


def _fewer(rows: int, longest: int) -> int:
    """Halve the tokens of a batch that did not fit; free what it left on the GPU."""
    torch.cuda.empty_cache()
    if rows == 1:
        raise InputError(
            f"the GPU's memory does not hold one sequence of {longest} tokens. End what else runs "
            "on the GPU, or hide it with CUDA_VISIBLE_DEVICES= before the command."
        )
    fewer = rows * longest // 2
    logger.warning(
        "out of the GPU's memory with a batch of %d tokens: going on with %d "
        "(compute.batch_tokens: %d would start with them)",
        rows * longest, fewer, fewer,
    )  # fmt: skip
    return fewer


@torch.inference_mode()
def encode_vectors(
    encode: Encode,
    sequences: Sequence[Ids],
    dimension: int,
    batch_tokens: int,
    device: torch.device | str = "cpu",
    label: str | None = None,
) -> np.ndarray:
    """Encode sequences to one vector each: (len(sequences), dimension) float32, in the order given.

    ``encode`` maps a batch to (batch, dimension) vectors; ``label`` names the sequences in progress
    lines, of which there are none without it.
    """
    vectors = np.empty(np.r_[len(sequences), dimension], dtype=np.float32)
    progress = Progress(label or "", len(sequences) if label else 0, "sequences")  # 0: no lines
    batches = encode_by_length(encode, sequences, batch_tokens, device)
    for rows, _, encoded in _one_behind(batches):
        vectors[rows] = encoded.cpu().numpy()
        progress.advance(len(rows))
    progress.finish()
    return vectors
