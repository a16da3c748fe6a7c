"""Settings of a recording."""

from muver.io.typed import Settings


class Recording(Settings):
    """How a table is recorded.

    Attributes
    ----------
    experiment
        Name of the experiment; empty for that of the table's file.
    enabled
        If false, nothing is recorded and the list of runs has no lines.
    source
        Where the dataset comes from: an address or a folder.
    options
        What follows a call of snakemake that makes the table again.
    """

    experiment: str = ""
    enabled: bool = True
    source: str = ""
    options: str = ""
