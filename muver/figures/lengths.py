"""Figure 2 as numbers: error rates of two systems by length of the gold description."""

from collections.abc import Sequence
from typing import Any

from muver.evaluation.bootstrap import RESAMPLES
from muver.evaluation.lengths import error_by_length
from muver.figures.settings import ErrorByLength
from muver.io.errors import InputError
from muver.tables.evaluations import Evaluations, identity
from muver.tables.numbers import percent
from muver.tables.paper import is_papers, paper
from muver.tables.render import csv_text
from muver.tables.settings import Row

Figure = dict[str, Any]
SHARED = ("dataset", "fingerprint", "identified_as", "set", "mentions")
METHOD = (
    "95% Wilson score intervals of the rates, which take mentions as independent; of the "
    f"difference 95% percentile bootstrap intervals, {RESAMPLES} resamples of the bin's {{}}"
)


def build(name: str, settings: ErrorByLength, evaluations: Evaluations) -> Figure:
    """The error rate of recall@k by number of sentences (Figure 2 of the paper).

    Parameters
    ----------
    settings
        The single-view system is the first row, as in the paper.

    Returns
    -------
    The bins and ``remainder`` of :func:`muver.evaluation.lengths.error_by_length`; differences are
    the second row's error minus the first's, as in the paper. ``paper`` has the numbers that the
    paper's text quotes, by its names of bins; None if dataset or cutoff are not the paper's.

    Raises
    ------
    InputError
        If all bins are empty.
    """
    rows, cutoff, last = settings.rows, settings.cutoff, settings.last
    first = evaluations.first
    ranks = [evaluations.ranks(row.system) for row in rows]
    bins, remainder = error_by_length(*ranks, cutoff, first["resample"], settings.bin, last)
    if not any(one["mentions"] for one in bins):
        raise InputError(
            f"no mention's gold entity has 1 to {last} sentences ({remainder['over']} have more, "
            f"{remainder['without']} none): there is nothing to draw. Raise last."
        )
    identities = [identity(row, {"": evaluations}) for row in rows]
    return {
        "name": name,
        "kind": "lengths",
        "caption": f"Error rate of recall@{cutoff} in percent by number of sentences",
        **{key: first[key] for key in SHARED},
        "cutoff": cutoff,
        "interval": METHOD.format(first["resample"]),
        "difference_is": f"{rows[1].method} minus {rows[0].method}",
        "rows": identities,
        "row_key": "+".join(row["row_key"] for row in identities),
        "bins": bins,
        "remainder": remainder,
        "paper": _quoted(rows, cutoff) if is_papers(first) else None,
    }


def to_csv(figure: Figure) -> str:
    """One line per bin, with two decimals; cells of a bin without mentions are empty."""
    header = ["sentences", "mentions"]
    for row in figure["rows"]:
        header += [f"{row['method']} {what}" for what in ("error", "low", "high")]
    header += ["difference", "difference low", "difference high", "row_key"]
    rows = []
    for one in figure["bins"]:
        cells = _cells(one) if one["mentions"] else [""] * (len(header) - 3)
        name = f"{one['first']}-{one['last']}"
        rows.append([name, one["mentions"], *cells, figure["row_key"]])
    return csv_text(header, rows)


def _cells(one: dict[str, Any]) -> list[str]:
    cells = []
    for errors, interval in zip(one["errors"], one["interval"], strict=True):
        cells += [percent(errors, one["mentions"]), *_decimals(*interval)]
    return [*cells, *_decimals(one["difference"], *one["difference_interval"])]


def _decimals(*values: float) -> list[str]:
    return [f"{value:z.2f}" for value in values]


def _quoted(rows: Sequence[Row], cutoff: int) -> dict[str, Any] | None:
    """The errors that the paper's text gives for these two rows."""
    published = paper().get("figure2")
    if published is None or cutoff != published["cutoff"]:
        return None
    errors = [published["rows"].get(row.system, {}).get("errors") for row in rows]
    return None if None in errors else {"source": paper()["source"], "errors": errors}
