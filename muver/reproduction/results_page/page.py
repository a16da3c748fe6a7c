"""A page with sections that are made: the page of record, or any other; its other text stays."""

import re
from collections.abc import Mapping
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import write_text

BEGIN, END = "<!-- begin: {} -->", "<!-- end: {} -->"
HEAD = """\
# Results of record

The tables of whole runs, with the commands, versions and the kind of machine that made them.
`make docs-results` writes this page and the numbers in `docs/results/` from a run's results; no
number is typed by hand. `make check` compares your run with them. Another processor may move a
mention across a cut-off, under the same `row_key`.

[tables.md](tables.md) says how to read the tables, [mlflow.md](mlflow.md) how a `row_key` leads
to a row's run. A note stands at the first table that it belongs to. Intervals of single rows, means
of worlds and counts by world are in a run's `results/<dataset>/NAME.md`.

"""
LOG = "<!-- Below this line the page is yours: making it again keeps every word. -->"
OWN = f"""

{LOG}

## Reproduction log

Have you run it as well? Add a line by pull request, whatever came out. `make check` says how far
from these numbers it lies, `muver doctor compare` where two runs of one table differ.

| Date | Who | Dataset | Commit | Machine | Command | Outcome |
| --- | --- | --- | --- | --- | --- | --- |
"""
SECTION = re.compile(
    r"<!-- begin: (?P<name>.+?) -->\n(?P<text>.*?)\n?<!-- end: (?P=name) -->", re.DOTALL
)


def write_page(out: Path, sections: Mapping[str, str]) -> None:
    """Write the sections given into a page, in place of those of the same datasets.

    Sections of other datasets and the text before and after them stay; a new section comes last. A
    page that is not there becomes a page of record with a log for others.

    Parameters
    ----------
    sections
        Markdown by dataset.
    """
    before, found, after = _read(out)
    merged = {**found, **{name: text.strip() for name, text in sections.items()}}
    parts = [f"{BEGIN.format(name)}\n{text}\n{END.format(name)}" for name, text in merged.items()]
    write_text(out, before + "\n\n".join(parts) + after)


def _read(page: Path) -> tuple[str, dict[str, str], str]:
    """What stands before the sections of a page, the sections, and what follows them."""
    if not page.exists():
        return HEAD, {}, OWN
    text = page.read_text(encoding="utf-8")
    found = list(SECTION.finditer(text))
    if not found:
        raise InputError(
            f"{page}: has no section to replace. Mark where they shall stand with two lines, "
            f"{BEGIN.format('NAME')} and {END.format('NAME')}, or name another file with --out."
        )
    sections = {one["name"]: one["text"] for one in found}
    return text[: found[0].start()], sections, text[found[-1].end() :]
