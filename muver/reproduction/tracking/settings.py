"""Settings of a recording."""

from muver.io.typed import Settings, Some, Text


class Recording(Settings, kw_only=True):
    """A table, or the grid, and what its rows are recorded from; files as paths.

    Attributes
    ----------
    table, grid
        The JSON of one of the two.
    out
        CSV file to write: the run and its address of each row key.
    experiment
        Its name; that of the table's file if empty.
    enabled
        If false, nothing is recorded, and the list of runs has no lines.
    source
        Where the dataset comes from: an address or a folder.
    options
        What follows a call of snakemake that makes the table again.
    evaluations, runs
        Of a table: JSON from `muver stage evaluate`, and the runs that these are of, in this order.
    artifacts
        Of a table: further files to keep with a system's run, such as its training log.
    benchmarks
        Snakemake's benchmark files by system (or point of the grid) and stage: seconds, memory and
        load. Those that are not there are passed over.
    figures
        Of a table with a sweep: figures to keep with its parent run.
    logs
        Of the grid: training logs, each named after its point.
    """

    table: Text | None = None
    grid: Text | None = None
    out: Text
    experiment: str = ""
    enabled: bool = True
    source: str = ""
    options: str = ""
    evaluations: list[str] = []
    runs: list[str] = []
    artifacts: dict[str, list[str]] = {}
    benchmarks: dict[str, dict[str, str]] = {}
    figures: list[str] = []
    logs: list[str] = []

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
