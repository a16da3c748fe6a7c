"""What the stages share: a model that is ready to encode, and where and how it does."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from muver.encoders import device
from muver.encoders.biencoder import BiEncoder
from muver.encoders.bulk import Encode, encode_vectors
from muver.io.errors import InputError
from muver.views.layout import Ids


class Tower:
    """A model that is ready to encode, on the device and in the batches that settings say."""

    def __init__(self, folder: Path, settings: dict[str, Any]):
        self._accelerator = device.start(settings)
        self._batch_tokens = device.batch_tokens(settings["batch_tokens"], self._accelerator.device)
        self.model = BiEncoder.from_pretrained(folder).to(self._accelerator.device).eval()
        if self.model.config.score == "sum_max":
            raise InputError(
                f"{folder}: compares token vectors, which are not stored. Rank with "
                "`muver retrieve --kind tokens`."
            )

    def views(self, ids: Sequence[Ids], label: str | None) -> np.ndarray:
        """Vectors of views: (views, d); ``label`` names them in progress lines, None has none."""
        return self._encode(self.model.encode_views, ids, label)

    def mentions(self, contexts: Sequence[Ids]) -> np.ndarray:
        """Vectors of contexts: (mentions, d)."""
        return self._encode(self.model.encode_mentions, contexts, None)

    def _encode(self, encode: Encode, ids: Sequence[Ids], label: str | None) -> np.ndarray:
        with self._accelerator.autocast():
            return encode_vectors(
                encode,
                ids,
                self.model.dimension,
                self._batch_tokens,
                self._accelerator.device,
                label=label,
            )
