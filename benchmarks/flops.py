"""Counts the floating-point operations that a BERT needs for vectors of [CLS], without padding.

These are the matrix products of linear layers and attention, with a multiplication and an addition
as two operations. The last layer needs keys and values of all tokens, but query, output and
feed-forward network only of the first. Embeddings, norms, activations and softmax do not count. A
backward pass needs twice the operations of the forward pass.
"""

from collections.abc import Sequence

import numpy as np

from muver.retriever.encoders.bert import BertConfig


def forward(config: BertConfig, lengths: Sequence[int]) -> float:
    """Operations to encode sequences of these lengths, in tokens."""
    size, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    sizes = np.asarray(lengths, dtype=np.float64)
    tokens, squares, rows = sizes.sum(), np.square(sizes).sum(), len(sizes)
    projections = 2 * size * size
    feed_forward = 4 * size * inner
    full = tokens * (4 * projections + feed_forward) + 4 * size * squares
    last = tokens * (2 * projections + 4 * size) + rows * (2 * projections + feed_forward)
    return float((layers - 1) * full + last)


def training(config: BertConfig, lengths: Sequence[int]) -> float:
    """Operations of a forward and a backward pass."""
    return 3 * forward(config, lengths)
