"""The seam between a model and its encoder: what a tower can do."""

from abc import ABC, abstractmethod
from pathlib import Path

from torch import Tensor, nn

from muver.io.errors import InputError
from muver.retriever.encoders.bulk import Packed


class Tower(nn.Module, ABC):
    """One side of a model: it turns tokens into states of its last layer.

    :class:`muver.retriever.encoders.bert.Bert` is the fast one, and
    :class:`muver.retriever.encoders.library.Library` any other encoder.
    """

    dimension: int  # of a vector
    positions: int | None  # the most tokens of a sequence; None if there is no such limit

    def require_positions(self, setting: str, tokens: int) -> None:
        """Refuse a setting with longer sequences than the encoder has positions."""
        if self.positions is not None and tokens > self.positions:
            raise InputError(
                f"{setting} is {tokens}, but the encoder has {self.positions} positions. "
                "Lower it or choose another encoder."
            )

    @abstractmethod
    def states(self, batch: Packed) -> Tensor:
        """States of the last layer at every token: (tokens, size)."""

    def first_states(self, batch: Packed) -> Tensor:
        """States of the last layer at the first token of each sequence: (sequences, size)."""
        return batch.unpack(self.states(batch))[:, 0]

    def project(self, pooled: Tensor) -> Tensor:
        """The makers' layers after the pooling: (..., size) to (..., dimension)."""
        return pooled

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the tower in Hugging Face's layout, as :func:`.model.load_tower` reads it."""
