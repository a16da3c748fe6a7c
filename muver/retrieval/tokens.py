"""Retrieval over token vectors (SOM): entities are encoded a chunk at a time and never stored."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from muver.encoders.bulk import batches_by_length, pad
from muver.encoders.scores import sum_of_max
from muver.progress import Progress
from muver.views.layout import Ids

Encode = Callable[[Tensor, Tensor], Tensor]


@torch.inference_mode()
def score_world(
    encode_mentions: Encode,
    encode_entities: Encode,
    contexts: Sequence[Ids],
    entities: Sequence[Ids],
    batch_tokens: int,
    device: torch.device,
    label: str | None = None,
) -> np.ndarray:
    """Sum-of-max scores of every mention with every entity of a world.

    The token vectors of all mentions of the world are held (mentions x 128 x d floats), those of
    ``batch_tokens`` tokens of entities at a time.

    Returns
    -------
    (mentions, entities) float32.
    """
    scores = np.empty((len(contexts), len(entities)), dtype=np.float32)
    held = []
    for rows in batches_by_length([len(ids) for ids in contexts], batch_tokens):
        ids, mask = pad([contexts[row] for row in rows], device)
        held.append((rows, encode_mentions(ids, mask).float(), mask))
    progress = Progress(label, len(entities), "entities") if label else None
    for columns in batches_by_length([len(ids) for ids in entities], batch_tokens):
        ids, mask = pad([entities[column] for column in columns], device)
        vectors = encode_entities(ids, mask).float()
        for rows, mentions, mention_mask in held:
            part = sum_of_max(mentions, mention_mask, vectors, mask)
            scores[np.ix_(rows, columns)] = part.cpu().numpy()
        if progress:
            progress.advance(len(columns))
    if progress:
        progress.finish()
    return scores
