"""Settings of a recording."""

from muver.io.typed import Settings, Some, Text


class Recording(Settings, kw_only=True):
    """A table, or the grid, and what its rows are recorded from; files as paths."""

    table: Text | None = None  # the JSON of one of the two
    grid: Text | None = None
    out: Text  # CSV file to write: the run and its address of each row key
    experiment: str = ""  # its name; that of the table's file if empty
    enabled: bool = True  # else nothing is recorded, and the list of runs has no lines
    source: str = ""  # where the dataset comes from: an address or a folder
    options: str = ""  # what follows a call of snakemake that makes the table again
    evaluations: list[str] = []  # of a table: JSON from `muver stage evaluate`
    runs: list[str] = []  # that these are of, in the same order
    artifacts: dict[str, list[str]] = {}  # by system: further files, such as its training log
    benchmarks: dict[str, dict[str, str]] = {}  # Snakemake's, by system or point, and stage
    figures: list[str] = []  # of a table with a sweep: to keep with its parent run
    logs: list[str] = []  # of the grid: training logs, each named after its point

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.table) == bool(self.grid):
            raise ValueError("expected a table or a grid, one of them.")

    @property
    def made(self) -> str:
        """The JSON of what is recorded."""
        return self.table or self.grid


class Recordings(Settings):
    """What one call of `muver record` records."""

    tables: Some[Recording]
