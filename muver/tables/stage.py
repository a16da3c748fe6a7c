"""The table stage: evaluations to the four files of a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.checking import with_defaults
from muver.errors import InputError
from muver.files import read_json, write_json, write_text
from muver.tables.build import build
from muver.tables.render import to_csv, to_html, to_markdown


def make_table(
    number: int, evaluations: Sequence[Path], out: Path, settings: dict[str, Any]
) -> str:
    """Write ``out`` (.csv) and beside it the table as .md, .html and .json.

    Parameters
    ----------
    settings
        ``rows``: a list of ``{"method": ..., "system": ...}`` in the table's order.

    Returns
    -------
    The table in Markdown.
    """
    if out.suffix != ".csv":
        raise InputError(f"--out: {out} must end in .csv; .md, .html and .json come beside it.")
    rows = with_defaults(settings, {"rows": []})["rows"]
    table = build(number, rows, [read_json(path) for path in evaluations])
    markdown = to_markdown(table)
    write_json(out.with_suffix(".json"), table)
    write_text(out.with_suffix(".md"), markdown)
    write_text(out.with_suffix(".html"), to_html(table))
    write_text(out, to_csv(table))
    return markdown
