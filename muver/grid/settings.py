"""Settings of the grid: the section ``grid`` of params.yaml and the stage's own."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from muver.io.typed import Amount, Count, Positive, Settings, Some, Text

Below1 = Annotated[int, Meta(ge=0, lt=1)] | Annotated[float, Meta(ge=0, lt=1)]


class Grid(Settings):
    """The values of each hyper-parameter, and optionally the subset of points to try."""

    model: Text
    learning_rate: Some[Positive]
    weight_decay: Some[Amount]
    warmup: Some[Below1]
    batch_size: Some[Count]
    subset: Some[str] | UnsetType = UNSET


class GridTable(Settings):
    """The ``--settings`` of ``muver grid``: the section ``grid`` and all settings of its model."""

    grid: Grid
    base: dict[str, Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        if "validation_cutoff" not in self.base.get("training", {}):
            raise ValueError("base.training must hold the settings of training.")
