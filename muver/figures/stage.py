"""The figure stage: evaluations or a table to the files of a figure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.figures import lengths, lengths_plot, views_plot
from muver.figures.settings import ErrorByLength
from muver.figures.style import house_style, save
from muver.io.errors import InputError
from muver.io.files import read_json, write_json, write_text
from muver.io.progress import logger
from muver.io.typed import read
from muver.tables.evaluations import read_one_set
from muver.tables.settings import systems_of


def make_figure2(
    evaluations: Sequence[Path], out: Path, figures: Path, settings: dict[str, Any]
) -> None:
    """Write errors by length of description as ``out`` (.csv), beside it .json, and the drawing.

    Parameters
    ----------
    evaluations
        What the evaluate stage wrote for the two systems, with the gold ranks beside each.
    figures
        Folder for figure2.svg and figure2.png.
    settings
        ``rows``: two of ``{"method", "system"}``; ``cutoff``: the k of recall@k; ``bin`` and
        ``last``: bins of so many sentences up to the last.
    """
    if out.suffix != ".csv":
        raise InputError(f"--out: {out} must end in .csv; .json comes beside it.")
    given = read(ErrorByLength, settings)
    found = read_one_set(evaluations, systems_of(given.rows))
    figure = lengths.build(given.rows, given.cutoff, given.bin, given.last, found)
    with house_style():
        save(lengths_plot.draw(figure), figures, "figure2")
    write_json(out.with_suffix(".json"), figure)
    write_text(out, lengths.to_csv(figure))
    logger.info(
        "%d mentions in %d bins; %d of longer descriptions and %d of empty ones are in none",
        sum(one["mentions"] for one in figure["bins"]), len(figure["bins"]),
        figure["remainder"]["over"], figure["remainder"]["without"],
    )  # fmt: skip


def draw_table3(table: Path, figures: Path) -> None:
    """Write table3.svg and table3.png into ``figures`` from the JSON of Table 3."""
    data = read_json(table)
    if not isinstance(data, dict) or any(k not in data for k in ("rows", "cutoff", "caption")):
        raise InputError(f"{table}: not the JSON of a table of views. Run the table stage.")
    with house_style():
        save(views_plot.draw(data), figures, "table3")
