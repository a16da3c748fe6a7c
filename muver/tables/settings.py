"""Settings of tables: entries of ``tables``, and the section ``sweep``, of params.yaml."""

from msgspec import UNSET, UnsetType

from muver.io.typed import Count, Name, Settings, Some, Text


class Table(Settings):
    """A comparison of rows, which are systems."""

    rows: Some[Name]
    against: str | UnsetType = UNSET
    caption: Text | UnsetType = UNSET


class Sweep(Settings):
    """Table 3: recall after each merged layer, by each search."""

    searches: Some[str]
    cutoff: Count
