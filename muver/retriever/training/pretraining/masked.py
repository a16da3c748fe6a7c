"""Masked words: choose the pieces to hide, and the head that predicts them.

As in BERT (Devlin et al. 2019), 80% of the chosen pieces become ``[MASK]``, 10% another piece, and
10% stay. The head's output weights are the tower's embeddings of pieces.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from muver.retriever.encoders.sizes import BertConfig

MASKED, REPLACED = 0.8, 0.1


def hide_pieces(
    ids: np.ndarray, share: float, mask: int, words: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Hide a share of the pieces.

    Parameters
    ----------
    ids : (tokens,) int64
    share
        The probability of each piece in ``words`` to be chosen.
    mask
        The piece ``[MASK]``.
    words : (vocabulary,) bool
        True for pieces of texts, False for special ones, which are neither chosen nor inserted.

    Returns
    -------
    (tokens,) pieces to read, and the chosen positions
    """
    chosen = np.flatnonzero(words[ids] & (random.random(len(ids)) < share))
    fate = random.random(len(chosen))
    others = random.choice(np.flatnonzero(words), len(chosen))
    read = ids.copy()
    read[chosen] = np.select([fate < MASKED, fate < MASKED + REPLACED], [mask, others], ids[chosen])
    return read, chosen


class MaskedHead(nn.Module):
    """Turns states into a score of every piece of the vocabulary; used in pre-training only."""

    def __init__(self, config: BertConfig):
        super().__init__()
        size = config.hidden_size
        self.dense = nn.Linear(size, size)
        self.LayerNorm = nn.LayerNorm(size, config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        nn.init.normal_(self.dense.weight, std=config.initializer_range)
        nn.init.zeros_(self.dense.bias)

    def forward(self, states: Tensor, embeddings: Tensor) -> Tensor:
        """(tokens, d) states and (vocabulary, d) embeddings to (tokens, vocabulary)."""
        hidden = self.LayerNorm(F.gelu(self.dense(states)))
        return F.linear(hidden, embeddings, self.bias)
