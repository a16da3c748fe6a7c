"""The stages that fill a store of views, and those that add further views to it.

Merged layers and global views lie in folders of their own. Here is what all of them encode with.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from muver.io.errors import InputError
from muver.retriever.encoders import device
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import Encode, encode_vectors
from muver.retriever.encoders.encoders_settings import Encoding
from muver.retriever.views.layout import Ids


class Encoder:
    """A model on the device and with the batch size that the settings ask for."""

    def __init__(self, folder: Path, settings: Encoding):
        self._accelerator = device.start(settings.device, settings.precision, settings.threads)
        self._batch_tokens = device.batch_tokens(settings.batch_tokens, self._accelerator.device)
        self.model = BiEncoder.from_pretrained(folder).to(self._accelerator.device).eval()
        if self.model.config.score == "sum_max":
            raise InputError(
                f"{folder}: compares token vectors, which are not stored. Rank with "
                "`muver stage retrieve --kind tokens`."
            )

    def views(self, ids: Sequence[Ids], label: str | None) -> np.ndarray:
        """Vectors of views: (views, d). Progress lines have the name ``label``; None shows none."""
        return self._encode(self.model.encode_views, ids, self.model.dimension, label)

    def mentions(self, contexts: Sequence[Ids]) -> np.ndarray:
        """Vectors of contexts: (mentions, d)."""
        return self._encode(self.model.encode_mentions, contexts, self.model.dimension, None)

    def _encode(
        self, encode: Encode, ids: Sequence[Ids], dimension: int, label: str | None
    ) -> np.ndarray:
        where = (self._batch_tokens, self._accelerator.device, label)
        with self._accelerator.autocast():
            return encode_vectors(encode, ids, dimension, *where)
