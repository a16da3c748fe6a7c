"""The results of one run as Markdown, in which nothing is said twice."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from muver.io.errors import InputError
from muver.reproduction.tables.numbers import bounds, percent
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.pages import bin_name, page_of
from muver.reproduction.tables.records import (
    AnyResult,
    LengthsFigure,
    caption_of,
    in_order,
    read_result,
    result_names,
)
from muver.reproduction.tables.render import to_markdown

FEWEST = 25  # mentions of a bin
SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z\d])")


def read_tables(results: Path) -> dict[str, AnyResult]:
    """The JSON of every result in a folder, by name in the order of a page."""
    files = [results / f"{name}.json" for name in result_names(results)]
    tables = {path.stem: read_result(path) for path in files}
    if not tables:
        raise InputError(f"{results}: no result is in it. Make them: snakemake --cores all")
    return {name: tables[name] for name in in_order(tables)}


def texts(tables: Mapping[str, AnyResult]) -> list[str]:
    """The results in their order, as Markdown."""
    return [
        to_markdown(page, level=2).strip() for page in said_once(map(shortened, tables.values()))
    ]


def shortened(result: AnyResult) -> Page:
    """A result's page as the table alone, or of several seeds their mean."""
    if isinstance(result, LengthsFigure):
        return errors_by_length(result)
    page = page_of(result)
    over_seeds = [section for section in page.sections if section.heading == "Over seeds"]
    return Page(page.title, over_seeds or page.sections[:1])


def said_once(pages: Iterable[Page]) -> list[Page]:
    """Pages without the sentences and footnotes that an earlier section has."""
    said: set[str] = set()
    return [
        replace(page, sections=[_what_is_new(section, said) for section in page.sections])
        for page in pages
    ]


def _what_is_new(section: Section, said: set[str]) -> Section:
    """A section without what was said, to which its own sentences are added."""
    sentences = SENTENCE_END.split(section.note)
    notes = {letter: text for letter, text in section.footnotes.items() if text not in said}
    found = replace(
        section,
        note=" ".join(one for one in sentences if one not in said),
        footnotes=notes,
        marks={row: letter for row, letter in section.marks.items() if letter in notes},
    )
    said.update(sentences, notes.values())
    return found


def errors_by_length(figure: LengthsFigure) -> Page:
    """Error rates of a figure's systems and their difference, in bins of enough mentions."""
    header = ["sentences", "mentions", *(row.method for row in figure.rows), figure.difference_is]
    rows = [
        [
            bin_name(one),
            str(one.mentions),
            *(percent(errors, one.mentions) for errors in one.errors),
            f"{one.difference:+z.2f} ({bounds(one.difference_interval, sign=True)})",
        ]
        for one in figure.bins
        if one.mentions >= FEWEST
    ]
    keys = ", ".join(f"`{row.row_key}`" for row in figure.rows)
    note = (
        "In brackets the 95% interval of the difference. "
        f"Bins of fewer than {FEWEST} mentions are left out. Rows: {keys}."
    )
    return Page(caption_of(figure.name, figure.caption), [Section("", note, header, rows)])
