"""Settings of tables, figures and the grid: those of params.yaml, and those of the stages."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import UNSET, Meta, UnsetType

from muver.io.errors import InputError
from muver.io.text import spelled
from muver.io.typed import Amount, Count, Name, Natural, Positive, Settings, Share, Some, Text

Axis = Literal["vectors", "labelled"]  # vectors an entity, or the share of labelled mentions


class Table(Settings):
    """A table of params.yaml, whose rows are systems."""

    rows: Some[Name]
    against: str | UnsetType = UNSET
    caption: Text | UnsetType = UNSET
    figure: Axis | UnsetType = UNSET  # recall is drawn against it too
    # Further seeds that its rows are trained with; Table 1's are a setting of their own.
    repeat_seeds: list[Natural] | UnsetType = UNSET
    labelled: Some[Share] | UnsetType = UNSET  # each row also trained on these shares of the labels
    # Whether the page that a mention stands on is among its candidates: as released; never; or a
    # row for each.
    own_page: Literal["keep", "leave_out", "both"] | UnsetType = UNSET
    categories: bool = False  # recall by the mentions' category too; of datasets of worlds
    costs: bool = False  # what each row costs on this machine, in NAME_costs.csv beside it


class Sweep(Settings):
    """Table 3: recall after each layer of merging, for each search."""

    searches: Some[str]
    cutoff: Count


class Row(Settings):
    """A row of a table: its method, its system and optionally a footnote."""

    method: Text
    system: Text
    note: Text | None = None


class RowSettings(Row):
    """A row of a table of recall, with what only some tables have."""

    repeats: list[str] = []  # its systems with further seeds
    # Of Table 3: the state after some layers of merging by a search
    merge_layers: Natural = 0
    search: Text | None = None  # its name; None without merging
    sweep_of: Text | None = None  # the system that differs only in layers and search


class TableSettings(Settings):
    """The ``--settings`` of ``muver stage table`` for a table of recall."""

    rows: Some[RowSettings]
    against: str | None = None  # system of the row that the others are tested against
    figure: Axis = "vectors"  # what a drawing of it would be against
    contrasts: list[tuple[str, str]] = []  # pairs of systems to compare if both are rows
    caption: Text | None = None  # required unless the table is the paper's
    sets: Some[str] | None = None  # in the order of the columns; None: those of the evaluations
    cutoff: Count | None = None  # the one cutoff of Table 3
    categories: bool = False  # recall by the mentions' category too


class Bins(Settings):
    """The cutoff of recall, and the bins of sentences."""

    cutoff: Count
    bin: Count
    last: Count

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.last % self.bin:
            raise ValueError(
                f"last is {self.last}, which bins of {self.bin} sentences do not fill. Choose a "
                "multiple."
            )


class Figure(Bins):
    """A figure of params.yaml: errors of two systems by length of description."""

    rows: tuple[str, str]


class ErrorByLength(Bins):
    """The ``--settings`` of ``muver stage figure``: the two rows with their names."""

    rows: tuple[Row, Row]


def systems_of(rows: list[Any]) -> list[str]:
    """The systems of rows, including those with further seeds."""
    return [system for row in rows for system in (row.system, *getattr(row, "repeats", ()))]


SHORT = {
    "learning_rate": "lr",
    "weight_decay": "wd",
    "warmup": "wu",
    "batch_size": "bs",
    "initial_scale": "is",
    "epochs": "ep",
}
HYPERPARAMETERS = tuple(SHORT)
WHOLE = ("batch_size", "epochs")
Values = dict[str, float | int]  # of hyper-parameters
Below1 = Annotated[int, Meta(ge=0, lt=1)] | Annotated[float, Meta(ge=0, lt=1)]


class Grid(Settings):
    """The models to train, and the values of each hyper-parameter.

    All combinations are tried. With ``one_at_a_time`` one hyper-parameter after another is varied,
    in the order of :data:`HYPERPARAMETERS`. They begin as in the section ``training``, and each
    model goes on with the value that its ``training`` has.
    """

    models: Some[Name]
    learning_rate: Some[Positive]
    weight_decay: Some[Amount]
    warmup: Some[Below1]
    batch_size: Some[Count]
    initial_scale: Some[Positive] | UnsetType = UNSET
    epochs: Some[Count] | UnsetType = UNSET
    one_at_a_time: bool = False

    @property
    def lists(self) -> dict[str, list[float | int]]:
        """The values of each hyper-parameter that the grid has."""
        written = {key: getattr(self, key) for key in HYPERPARAMETERS}
        return {key: [_number(key, n) for n in values] for key, values in written.items() if values}

    def points(self) -> list[Values]:
        """The ``training`` settings of each point; the last hyper-parameter changes fastest."""
        product = itertools.product(*self.lists.values())
        return [dict(zip(self.lists, values, strict=True)) for values in product]

    def turn(self, before: Mapping[str, Any], key: str) -> list[Values]:
        """The points at which one hyper-parameter has each of its values, and the others those of
        ``before``."""
        others = {name: _number(name, before[name]) for name in self.lists}
        return [{**others, key: value} for value in self.lists[key]]


def _number(key: str, value: float) -> float | int:
    """A value as settings and keys spell it: 0 and 0.0 are the same."""
    return value if key in WHOLE else float(value)


class Trial(NamedTuple):
    """A training of the grid: the model, and the point's training settings."""

    model: str
    values: Values

    @property
    def point(self) -> str:
        """The point's name."""
        return name_of(self.values)


def trials(
    grid: Grid, start: Mapping[str, Any], chosen: Mapping[str, Mapping[str, Any]]
) -> dict[str, Trial]:
    """The trials by their names, such as ``muver_lr1e-05_wd0.01_wu0_bs64``.

    Every model is trained at every point, and the model changes fastest. Where one value is varied
    at a time, ``start`` has the values of the section ``training``, and ``chosen`` those of each
    model.
    """
    tried = []
    if not grid.one_at_a_time:
        tried = [Trial(model, point) for point in grid.points() for model in grid.models]
    for model in grid.models if grid.one_at_a_time else ():
        before = start
        for key in grid.lists:
            tried += [Trial(model, point) for point in grid.turn(before, key)]
            before = {**before, key: chosen[model][key]}
    return {f"{trial.model}_{trial.point}": trial for trial in tried}


def name_of(point: Mapping[str, float]) -> str:
    """A point's name: unique, and usable as a file's name."""
    return "_".join(f"{SHORT[key]}{spelled(value)}" for key, value in point.items())


def logs_by_trial(named: Collection[str], logs: Sequence[Path]) -> dict[str, Path]:
    """The log of each trial, called ``<trial>`` or ``<trial>-<key>``, in the logs' order."""

    def trial_of(log: Path) -> str:
        before = log.stem.rpartition("-")[0]
        return before if before in named else log.stem

    by_trial = {trial_of(log): log for log in logs}
    if differ := by_trial.keys() ^ set(named):
        raise InputError(
            "logs: expected one of each trial of the grid, named after it. Missing, or of no "
            f"trial: {', '.join(sorted(differ))}."
        )
    return by_trial
