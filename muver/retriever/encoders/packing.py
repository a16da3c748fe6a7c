"""Lay out token sequences one after another without padding, grouped by equal length."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np
import torch
from torch import Tensor

from muver.retriever.views.layout import Ids


@dataclass(frozen=True)
class Packed:
    """A batch of sequences as a tower reads it, longest first."""

    ids: Tensor  # (tokens,) int64
    positions: Tensor  # (tokens,) int64, of each token in its sequence
    rows: Tensor  # (tokens,) int64: which of the given sequences a token belongs to
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
        keys = torch.from_numpy(np.arange(pad_to) < lengths[:, None]).to(device)
        sequences = [[*ids, *[0] * (pad_to - len(ids))] for ids in sequences]
        lengths[:] = pad_to
    order = np.argsort(-lengths, kind="stable")
    sizes = lengths[order]
    ids = np.concatenate([np.asarray(sequences[row], dtype=np.int64) for row in order])
    starts = np.cumsum(sizes) - sizes
    positions = np.arange(len(ids)) - np.repeat(starts, sizes)
    rows = np.repeat(order, sizes)
    blocks = [(len(list(same)), int(length)) for length, same in groupby(sizes)]
    tensors = (torch.from_numpy(array).to(device) for array in (ids, positions, rows))
    return Packed(*tensors, blocks=blocks, keys=keys)
