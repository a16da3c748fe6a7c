"""Settings of a recording."""

from muver.io.typed import Settings


class Recording(Settings):
    """How a table is recorded."""

    experiment: str = ""  # its name; that of the table's file if empty
    enabled: bool = True  # if false, nothing is recorded and the list of runs has no lines
    source: str = ""  # where the dataset comes from: an address or a folder
    options: str = ""  # what follows a call of snakemake that makes the table again
