"""Settings of tables and figures: those of params.yaml, and those of the stage for each kind."""

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from muver.io.typed import Count, Name, Natural, Settings, Share, Some, Text

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
