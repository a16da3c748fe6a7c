"""Calls our code as the stages do; the only place where benchmarks depend on it."""

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

from benchmarks.data import Case
from muver.retriever.encoders import device as devices
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.retrieval.aggregates import MAX, LogMeanExp, SoftmaxSum
from muver.retriever.retrieval.exact import Ranking, rank
from muver.retriever.vectors.shards import ViewBlock, first_with_same
from muver.retriever.views.layout import Ids, View
from muver.retriever.views.merging import NewViews, expand_world
from muver.retriever.views.views_settings import Merging

SHOWN, SUMMED = 64, 200
TOP_K, MERGED_TOKENS = 0.4, 512
AGGREGATES = {
    "max": MAX,
    "softmax_sum": SoftmaxSum(softmax_candidates=SUMMED),
    "log_mean_exp": LogMeanExp(temperature=0.5),
}


def accelerator(device: str, precision: str, threads: int) -> Accelerator:
    """An accelerator as a stage makes it; can be called again with another precision."""
    AcceleratorState._reset_state()  # it would keep the first precision of this process
    return devices.start(device, precision, threads)


class Tower:
    """Encodes as the stages do, in one precision."""

    def __init__(self, case: Case, device: str, precision: str, batch_tokens: int):
        self.case, self.device, self.precision = case, device, precision
        self.batch_tokens = batch_tokens
        self.model = case.model.to(device).eval()

    @contextlib.contextmanager
    def in_precision(self) -> Iterator[None]:
        """What is computed within, in the precision of this tower."""
        bf16 = self.precision == "bf16"
        with torch.autocast(self.device, torch.bfloat16, enabled=bf16):
            yield

    def views(self, ids: Sequence[Ids]) -> np.ndarray:
        """Vectors of views: (views, d)."""
        return self._encode(self.model.encode_views, ids)

    def contexts(self, ids: Sequence[Ids]) -> np.ndarray:
        """Vectors of mentions: (mentions, d)."""
        return self._encode(self.model.encode_mentions, ids)

    def merge(
        self, entities: Sequence[Sequence[Ids]], originals: np.ndarray, layers: int, pairs: str
    ) -> list[NewViews]:
        """New views of each layer over entities whose views are encoded."""
        owners = np.repeat(np.arange(len(entities)), [len(views) for views in entities])
        return expand_world(
            owners,
            [View(ids, n, n) for views in entities for n, ids in enumerate(views)],
            originals,
            self.views,
            self.case.markers,
            Merging(
                layers=layers,
                top_k=TOP_K,
                pairs=pairs,
                among="neighbours",
                max_tokens=MERGED_TOKENS,
            ),
        )

    def _encode(self, encode, ids: Sequence[Ids]) -> np.ndarray:
        with self.in_precision():
            return encode_vectors(
                encode, ids, self.case.model.dimension, self.batch_tokens, self.device
            )


def rank_world(
    mentions: np.ndarray,
    views: np.ndarray,
    owners: np.ndarray,
    titles: Sequence[str],
    aggregate: str,
) -> Ranking:
    """Rank a world's entities, including the layout of its views.

    Parameters
    ----------
    owners : (views,)
        Entity of each view.
    titles
        Of each entity.
    aggregate
        One of :data:`AGGREGATES`.
    """
    world = ViewBlock.of([views], owners, first_with_same(list(titles)))
    return rank(mentions, [world], SHOWN, AGGREGATES[aggregate])
