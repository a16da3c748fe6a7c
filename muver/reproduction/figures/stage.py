"""The figure stage: draws a figure from evaluations or from a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.io.typed import read
from muver.reproduction.figures.plots import draw_lengths, draw_recall, house_style, save
from muver.reproduction.tables import records
from muver.reproduction.tables.evaluations import (
    BySet,
    fields_of_row,
    only_set,
    read_evaluations,
)
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.paper import NOTES, is_papers, paper
from muver.reproduction.tables.render import to_csv
from muver.reproduction.tables.tables_settings import ErrorByLength, Row, systems_of
from muver.retriever.evaluation.bootstrap import RESAMPLES
from muver.retriever.evaluation.significance import error_by_length

SHARED = ("dataset", "fingerprint", "identified_as", "set", "mentions")


def make_figure(
    name: str,
    figures: Path,
    evaluations: Sequence[Path] = (),
    table: Path | None = None,
    out: Path | None = None,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Draw a figure: errors by length of description, recall by number of views.

    The first is drawn from evaluations, the second from a table.

    Of evaluations, ``out`` is the .csv of the numbers; a .json goes next to it.
    """
    if table is not None:
        data = records.read_result(table, records.Table, "a table whose rows have vectors")
        draw = draw_recall
    else:
        if out is None:
            raise InputError("--out: name the .csv of the figure's numbers.")
        asked = read(ErrorByLength, settings)
        by_set = read_evaluations(evaluations, systems_of(asked.rows))
        data, draw = _lengths(name, asked, by_set), draw_lengths
        write_json(out.with_suffix(".json"), data)
        write_text(out, to_csv(page_of(data).sections[0]))
    with house_style():
        save(draw(data), figures, name)


def _lengths(name: str, settings: ErrorByLength, by_set: BySet) -> records.LengthsFigure:
    """The error rate of recall@k by number of sentences; the single-view system comes first."""
    rows, cutoff, last = settings.rows, settings.cutoff, settings.last
    evaluations = only_set(by_set)
    first = evaluations.first
    ranks = [evaluations.ranks(row.system) for row in rows]
    bins, remainder = error_by_length(*ranks, cutoff, first.resample, settings.bin, last)
    if not any(bin_.mentions for bin_ in bins):
        raise InputError(f"last is {last}: all descriptions are longer or empty. Raise it.")
    of_rows = [records.Row(**fields_of_row(row, by_set)) for row in rows]
    return records.LengthsFigure(
        name=name,
        caption=f"Error rate of recall@{cutoff} in percent by number of sentences",
        **{key: getattr(first, key) for key in SHARED},
        cutoff=cutoff,
        interval=NOTES["lengths"].format(resamples=RESAMPLES, units=first.resample),
        difference_is=f"{rows[1].method} minus {rows[0].method}",
        rows=of_rows,
        row_key="+".join(row.row_key for row in of_rows),
        bins=bins,
        remainder=remainder,
        paper=_quoted(rows, cutoff) if is_papers(first) else None,
    )


def _quoted(rows: Sequence[Row], cutoff: int) -> records.Quoted | None:
    """The errors that the paper's text gives for these two rows."""
    published = paper()["figure2"]
    if cutoff != published["cutoff"]:
        return None
    errors = [published["rows"].get(row.system, {}).get("errors") for row in rows]
    return None if None in errors else records.Quoted(paper()["source"], errors)
