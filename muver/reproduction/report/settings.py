"""Settings of ``muver report``."""

from muver.io.typed import Count, Settings


class Report(Settings):
    """What the page shows, and how much it may hold.

    Attributes
    ----------
    results
        Names of tables and figures; None shows all that are there.
    mentions
        How many the explorer has at most, drawn evenly from all worlds or sets.
    candidates
        How many each mention has, the gold entity besides.
    characters
        Of all descriptions together, which keeps a page below 10 MB.
    """

    results: list[str] | None = None
    mentions: Count = 2000
    candidates: Count = 10
    characters: Count = 6_000_000
