"""The figure stage: draws a figure from evaluations or from a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.io.typed import Settings, read
from muver.reproduction.figures import lengths, lengths_plot, views_plot
from muver.reproduction.figures.settings import ErrorByLength
from muver.reproduction.figures.style import house_style, save
from muver.reproduction.tables.evaluations import TableFiles, read_one_set
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import ViewsTable, read_result
from muver.reproduction.tables.render import csv_text
from muver.reproduction.tables.settings import systems_of


def make_figure(
    name: str,
    figures: Path,
    evaluations: Sequence[Path] | None = None,
    table: Path | None = None,
    out: Path | None = None,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Draw recall by views from a table, or errors by length of description from evaluations.

    Parameters
    ----------
    figures
        Folder for ``name``.svg and ``name``.png.
    evaluations
        Evaluations of two systems, each beside its gold ranks.
    table
        The JSON of Table 3, instead of evaluations.
    out
        With evaluations: the .csv of the numbers; a .json goes next to it.
    settings
        With evaluations: :class:`muver.reproduction.figures.settings.ErrorByLength`.
    """
    if table is not None:
        read(Settings, settings or {})
        data, draw = read_result(table, ViewsTable, "a table of views"), views_plot.draw
    else:
        if out is None or out.suffix != ".csv":
            raise InputError(
                f"--out: {out} must be a file that ends in .csv; .json goes next to it."
            )
        given = read(ErrorByLength, settings)
        found = read_one_set(TableFiles(evaluations or ()), systems_of(given.rows))
        data, draw = lengths.build(name, given, found), lengths_plot.draw
        main = page_of(data).sections[0]
        write_json(out.with_suffix(".json"), data)
        write_text(out, csv_text(main.header, main.rows))
    with house_style():
        save(draw(data), figures, name)
