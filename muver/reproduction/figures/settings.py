"""Settings of figures: the section ``figures`` of params.yaml and the stage's own."""

from muver.io.typed import Count, Settings
from muver.reproduction.tables.settings import Row


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
