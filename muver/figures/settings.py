"""Settings of figures: section ``figures`` of params.yaml, and what the stage takes."""

from muver.io.typed import Count, Settings
from muver.tables.settings import Row


class Bins(Settings):
    """The k of recall@k, and bins of sentences up to the last one."""

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
    """A figure of params.yaml: errors by length of description, of two systems."""

    rows: tuple[str, str]


class ErrorByLength(Bins):
    """What `muver figure` takes of it: the two rows with their names."""

    rows: tuple[Row, Row]
