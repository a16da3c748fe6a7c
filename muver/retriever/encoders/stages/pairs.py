"""Score a world's mentions with some of its entities by a cross-encoder."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from muver.retriever.encoders import device
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.encoders_settings import Encoding
from muver.retriever.views.worlds import World


class PairScorer:
    """A cross-encoder on the device and with the batch size that the settings ask for."""

    def __init__(self, folder: Path, settings: Encoding):
        self._accelerator = device.start(settings.device, settings.precision, settings.threads)
        self._batch_tokens = device.batch_tokens(settings.batch_tokens, self._accelerator.device)
        self.model = CrossEncoder.from_pretrained(folder).to(self._accelerator.device).eval()

    def scores(self, world: World, among: Sequence[Iterable[int]]) -> list[np.ndarray]:
        """Scores of each mention with its entities in ``among``: (entities,) float32 each."""
        pairs = [self.model.pairs_in(world, *one) for one in enumerate(among)]
        where = (self._batch_tokens, self._accelerator.device, f"pairs of {world.name}")
        with self._accelerator.autocast():
            return self.model.scores(pairs, *where)
