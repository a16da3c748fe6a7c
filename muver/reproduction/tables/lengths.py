"""Figure 2 for people: error rates of two systems by sentences of the gold description."""

from muver.reproduction.tables.numbers import percent
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.records import LengthsFigure
from muver.retriever.evaluation.lengths import Bin


def page(figure: LengthsFigure) -> Page:
    """A line per bin, with two decimals; cells of a bin without mentions are empty."""
    header = ["sentences", "mentions"]
    for row in figure.rows:
        header += [f"{row.method} {what}" for what in ("error", "low", "high")]
    header += ["difference", "difference low", "difference high", "row_key"]
    rows = [[bin_name(one), str(one.mentions), *_cells(one), figure.row_key] for one in figure.bins]
    return Page(f"{figure.caption}, {figure.dataset}", [Section("", "", header, rows)])


def bin_name(one: Bin) -> str:
    """A bin by its first and last number of sentences."""
    return f"{one.first}-{one.last}"


def _cells(one: Bin) -> list[str]:
    if not one.mentions:
        return [""] * (3 * len(one.errors) + 3)
    cells = []
    for errors, interval in zip(one.errors, one.interval, strict=True):
        cells += [percent(errors, one.mentions), *(f"{bound:z.2f}" for bound in interval)]
    return [*cells, *(f"{value:z.2f}" for value in (one.difference, *one.difference_interval))]
