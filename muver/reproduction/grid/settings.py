"""Settings of the grid: the section ``grid`` of params.yaml and the stage's own."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from muver.io.typed import Amount, Count, Name, Positive, Settings, Some

Below1 = Annotated[int, Meta(ge=0, lt=1)] | Annotated[float, Meta(ge=0, lt=1)]


class Grid(Settings):
    """The models to train at each point, the values of each hyper-parameter, and optionally the
    subset of points to try; None stands for all, in place of a preset's."""

    models: Some[Name]
    learning_rate: Some[Positive]
    weight_decay: Some[Amount]
    warmup: Some[Below1]
    batch_size: Some[Count]
    initial_scale: Some[Positive] | UnsetType = UNSET
    epochs: Some[Count] | UnsetType = UNSET
    subset: Some[str] | None | UnsetType = UNSET


class GridTable(Settings):
    """What ``muver stage grid`` takes: the section ``grid``, and each model's settings."""

    grid: Grid
    base: dict[str, dict[str, Any]]

    def __post_init__(self) -> None:
        super().__post_init__()
        for model in self.grid.models:
            if "validation_cutoff" not in self.base.get(model, {}).get("training", {}):
                raise ValueError(f"base.{model}.training must hold the settings of training.")
