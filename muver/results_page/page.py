"""The page of record: sections that are made, and a log that others write and a repeat keeps."""

import re
from collections.abc import Mapping
from pathlib import Path

from muver.errors import InputError
from muver.files import write_text

HEAD = """\
# Results of record

The tables of whole runs, with the commands, versions and the kind of machine that made them.
`muver results-page` writes this page from a run's `results/`; no number is typed by hand.
[tables.md](tables.md) says how to read the tables, [mlflow.md](mlflow.md) how a `row_key` leads
to a row's run. Equal settings on equal data give equal keys everywhere; another processor may add
up in another order and so move a mention across a cut-off."""
BEGIN, END = "<!-- begin: {} -->", "<!-- end: {} -->"
LOG = "<!-- Below this line the page is yours: making it again keeps every word. -->"
OWN = """\

## Reproduction log

Have you run it as well? Add a line by pull request, whatever came out. `muver agree` and
`muver doctor` tell where two runs of one table differ.

| Date | Who | Dataset | Commit | Machine | Command | Outcome |
| --- | --- | --- | --- | --- | --- | --- |
"""
SECTION = re.compile(
    r"<!-- begin: (?P<name>.+?) -->\n(?P<text>.*?)\n<!-- end: (?P=name) -->", re.DOTALL
)


def write_page(out: Path, sections: Mapping[str, str]) -> None:
    """Write the page: the sections given, those of other datasets as they were, then the log.

    Parameters
    ----------
    sections
        Markdown by dataset.

    Raises
    ------
    InputError
        If there is a page of this name that has no such log, since that would be lost.
    """
    before, own = _read(out)
    merged = {**before, **{name: text.strip() for name, text in sections.items()}}
    parts = [f"{BEGIN.format(name)}\n{text}\n{END.format(name)}" for name, text in merged.items()]
    write_text(out, "\n\n".join([HEAD, *parts, LOG]) + "\n" + own)


def _read(page: Path) -> tuple[dict[str, str], str]:
    """Sections of the page as it is, and what follows the line of the log."""
    if not page.exists():
        return {}, OWN
    made, line, own = page.read_text(encoding="utf-8").partition(f"{LOG}\n")
    if not line:
        raise InputError(
            f"{page}: is no page of ours, as the line above the reproduction log is missing: {LOG} "
            "Put it back, or name another file with --out."
        )
    return {found["name"]: found["text"] for found in SECTION.finditer(made)}, own
