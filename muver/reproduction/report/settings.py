"""Settings of ``muver report``."""

from muver.io.typed import Count, Settings


class Report(Settings):
    """What the page shows, and how much it may hold."""

    results: list[str] | None = None  # tables and figures; None shows all that are there
    mentions: Count = 2000  # at most, drawn evenly from all worlds or sets
    candidates: Count = 10  # of each mention, the gold entity besides
    characters: Count = 6_000_000  # of all descriptions, which keeps a page below 10 MB
