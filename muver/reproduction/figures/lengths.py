"""Figure 2 as data: error rates of two systems by length of the gold description."""

from collections.abc import Sequence

from muver.io.errors import InputError
from muver.reproduction.figures.settings import ErrorByLength
from muver.reproduction.tables import records
from muver.reproduction.tables.evaluations import Evaluations, row_of
from muver.reproduction.tables.paper import is_papers, paper
from muver.reproduction.tables.records import LengthsFigure, Quoted
from muver.reproduction.tables.settings import Row
from muver.retriever.evaluation.bootstrap import RESAMPLES
from muver.retriever.evaluation.lengths import error_by_length

SHARED = ("dataset", "fingerprint", "identified_as", "set", "mentions")
METHOD = (
    "95% Wilson score intervals of the rates, which take mentions as independent; of the "
    f"difference 95% percentile bootstrap intervals, {RESAMPLES} resamples of the bin's {{}}"
)


def build(name: str, settings: ErrorByLength, evaluations: Evaluations) -> LengthsFigure:
    """The error rate of recall@k by number of sentences; the single-view system comes first."""
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


def _quoted(rows: Sequence[Row], cutoff: int) -> Quoted | None:
    """The errors that the paper's text gives for these two rows."""
    published = paper()["figure2"]
    if cutoff != published["cutoff"]:
        return None
    errors = [published["rows"].get(row.system, {}).get("errors") for row in rows]
    return None if None in errors else Quoted(paper()["source"], errors)
