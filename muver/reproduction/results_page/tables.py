"""The results of one run as Markdown, below a heading of their own."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from muver.io.errors import InputError
from muver.reproduction.report.results import caption_of, in_order, result_names
from muver.reproduction.results_page.shorter import said_once, shortened
from muver.reproduction.tables.numbers import bounds, percent
from muver.reproduction.tables.page import Section
from muver.reproduction.tables.records import AnyResult, LengthsFigure, read_result
from muver.reproduction.tables.render import markdown_grid
from muver.retriever.evaluation.lengths import Bin

IDENTITY = ("dataset", "fingerprint")


def read_tables(results: Path, only: Sequence[str] = ()) -> dict[str, AnyResult]:
    """The JSON of every result in a folder, by its name: tables, then figures, then the rest.

    Parameters
    ----------
    only
        Names to which they are limited.
    """
    files = [results / f"{name}.json" for name in only or result_names(results)]
    tables = {path.stem: read_result(path) for path in files}
    if not tables:
        raise InputError(f"{results}: no result is in it. Make them: snakemake --cores all")
    for key in IDENTITY:
        values = {
            getattr(table, key): name for name, table in tables.items() if hasattr(table, key)
        }
        if len(values) > 1:
            owners = ", ".join(f"{name} has {value!r}" for value, name in values.items())
            raise InputError(f"{results}: results of two runs ({key}: {owners}). Make them again.")
    return {name: tables[name] for name in in_order([*tables])}


def texts(results: Path, tables: Mapping[str, AnyResult]) -> list[str]:
    """The results' texts in their order, each without notes that stand at an earlier one.

    Several figures by length stand side by side in one table, the last.
    """
    lengths = [name for name, table in tables.items() if isinstance(table, LengthsFigure)]
    joined = lengths if len(lengths) > 1 else []
    found = [result_text(results, tables[name]) for name in tables if name not in joined]
    if joined:
        found.append(recall_by_length([tables[name] for name in joined]))
    return said_once(found)


def recall_by_length(figures: Sequence[LengthsFigure]) -> str:
    """Recall of all systems of some figures by number of sentences, without empty bins."""
    first = figures[0]
    bins = [one for one in first.bins if one.mentions]
    columns = {}
    for figure in figures:
        own = [one for one in figure.bins if one.mentions]
        if figure.cutoff != first.cutoff or list(map(_bin, own)) != list(map(_bin, bins)):
            raise InputError(
                f"{first.name} and {figure.name}: of other cutoffs or bins, which do not "
                "stand in one table. Give both the same in params.yaml, or show them apart."
            )
        for n, row in enumerate(figure.rows):
            found = [percent(one.mentions - one.errors[n], one.mentions) for one in own]
            columns[row.system] = [row.method, *found]
    header, *rows = zip(
        ("sentences", *(f"{one.first}-{one.last}" for one in bins)),
        ("mentions", *(str(one.mentions) for one in bins)),
        *columns.values(), strict=True,
    )  # fmt: skip
    caption = f"Recall@{first.cutoff} in percent by number of sentences"
    grid = markdown_grid(Section("", "", list(header), list(map(list, rows))))
    return f"### {caption}, {first.dataset}\n\n{grid}"


def _bin(one: Bin) -> tuple[int, int, int]:
    return one.first, one.last, one.mentions


def errors_by_length(figure: LengthsFigure) -> str:
    """Error rates of a figure's systems and their difference, without empty bins."""
    bins = [one for one in figure.bins if one.mentions]
    header = ["sentences", "mentions", *(row.method for row in figure.rows), figure.difference_is]
    rows = [
        [
            f"{one.first}-{one.last}",
            str(one.mentions),
            *(percent(errors, one.mentions) for errors in one.errors),
            f"{one.difference:+z.2f} ({bounds(one.difference_interval, sign=True)})",
        ]
        for one in bins
    ]
    heading = f"### {caption_of(figure.name, figure.caption)}"
    keys = ", ".join(f"`{row.row_key}`" for row in figure.rows)
    note = f"In brackets the 95% interval of the difference. Rows: {keys}."
    return "\n\n".join([heading, note, markdown_grid(Section("", "", header, rows))])


def result_text(results: Path, table: AnyResult) -> str:
    """A result's own Markdown two levels down, or a figure's numbers."""
    if isinstance(table, LengthsFigure):
        return errors_by_length(table)
    page = results / f"{table.name}.md"
    if not page.is_file():
        raise InputError(f"{page}: no such file. Make the table again.")
    return shortened(page.read_text(encoding="utf-8"))
