"""Figure 2 as numbers: error rates of two systems by length of the gold description."""

from collections.abc import Sequence

from muver.io.errors import InputError
from muver.reproduction.figures.settings import ErrorByLength
from muver.reproduction.tables import records
from muver.reproduction.tables.evaluations import Evaluations, row_of
from muver.reproduction.tables.numbers import percent
from muver.reproduction.tables.paper import is_papers, paper
from muver.reproduction.tables.records import LengthsFigure, Quoted
from muver.reproduction.tables.render import csv_text
from muver.reproduction.tables.settings import Row
from muver.retriever.evaluation.bootstrap import RESAMPLES
from muver.retriever.evaluation.lengths import Bin, error_by_length

SHARED = ("dataset", "fingerprint", "identified_as", "set", "mentions")
METHOD = (
    "95% Wilson score intervals of the rates, which take mentions as independent; of the "
    f"difference 95% percentile bootstrap intervals, {RESAMPLES} resamples of the bin's {{}}"
)


def build(name: str, settings: ErrorByLength, evaluations: Evaluations) -> LengthsFigure:
    """The error rate of recall@k by number of sentences (Figure 2 of the paper).

    Parameters
    ----------
    settings
        The single-view system is the first row, as in the paper.
    """
    rows, cutoff, last = settings.rows, settings.cutoff, settings.last
    first = evaluations.first
    ranks = [evaluations.ranks(row.system) for row in rows]
    bins, remainder = error_by_length(*ranks, cutoff, first.resample, settings.bin, last)
    if not any(one.mentions for one in bins):
        raise InputError(
            f"no mention's gold entity has 1 to {last} sentences ({remainder.over} have more, "
            f"{remainder.without} none): there is nothing to draw. Raise last."
        )
    built = [row_of(records.Row, row, {first.set: evaluations}) for row in rows]
    return LengthsFigure(
        name=name,
        caption=f"Error rate of recall@{cutoff} in percent by number of sentences",
        **{key: getattr(first, key) for key in SHARED},
        cutoff=cutoff,
        interval=METHOD.format(first.resample),
        difference_is=f"{rows[1].method} minus {rows[0].method}",
        rows=built,
        row_key="+".join(row.row_key for row in built),
        bins=bins,
        remainder=remainder,
        paper=_quoted(rows, cutoff) if is_papers(first) else None,
    )


def to_csv(figure: LengthsFigure) -> str:
    """One line per bin, with two decimals; cells of a bin without mentions are empty."""
    header = ["sentences", "mentions"]
    for row in figure.rows:
        header += [f"{row.method} {what}" for what in ("error", "low", "high")]
    header += ["difference", "difference low", "difference high", "row_key"]
    rows = []
    for one in figure.bins:
        cells = _cells(one) if one.mentions else [""] * (len(header) - 3)
        rows.append([f"{one.first}-{one.last}", one.mentions, *cells, figure.row_key])
    return csv_text(header, rows)


def _cells(one: Bin) -> list[str]:
    cells = []
    for errors, interval in zip(one.errors, one.interval, strict=True):
        cells += [percent(errors, one.mentions), *_decimals(*interval)]
    return [*cells, *_decimals(one.difference, *one.difference_interval)]


def _decimals(*values: float) -> list[str]:
    return [f"{value:z.2f}" for value in values]


def _quoted(rows: Sequence[Row], cutoff: int) -> Quoted | None:
    """The errors that the paper's text gives for these two rows."""
    published = paper().get("figure2")
    if published is None or cutoff != published["cutoff"]:
        return None
    errors = [published["rows"].get(row.system, {}).get("errors") for row in rows]
    return None if None in errors else Quoted(paper()["source"], errors)
