"""Signals: what of a mention speaks for an entity, each in one module and over one world.

A score is a weighted sum of signals (:mod:`.weights`). They lie between about 0 and 1, so that one
set of weights serves all worlds.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

LENGTHS = (2, 4)  # of the runs of characters that names are compared by
Rows = Sequence[Mapping[str, Any]]  # mentions or entities as the corpus's tables have them


class Signal(Protocol):
    """How much speaks for each entity of a world."""

    def scores(self, mentions: Rows) -> np.ndarray:
        """Scores of all entities: (mentions, entities) float32."""
