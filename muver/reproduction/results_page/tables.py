"""The results of one run as Markdown, in which nothing is said twice."""

import re
from collections.abc import Mapping, Sequence
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

# Sections of a result that are left to the run's own files
LEFT_OUT = ("Mean of worlds", "How sure the numbers are", "By world", "By value")
SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z\d])")


def read_tables(results: Path, only: Sequence[str] = ()) -> dict[str, AnyResult]:
    """The JSON of every result in a folder, or of ``only`` some, by name in the order of a page."""
    files = [results / f"{name}.json" for name in only or result_names(results)]
    tables = {path.stem: read_result(path) for path in files}
    if not tables:
        raise InputError(f"{results}: no result is in it. Make them: snakemake --cores all")
    return {name: tables[name] for name in in_order(tables)}


def texts(tables: Mapping[str, AnyResult]) -> list[str]:
    """The results in their order; several figures of the same bins stand in one table, the last."""
    figures = [table for table in tables.values() if isinstance(table, LengthsFigure)]
    joined = figures if len(figures) > 1 and len(set(map(_bins, figures))) == 1 else []
    pages = [shortened(table) for table in tables.values() if table not in joined]
    pages += [recall_by_length(joined)] if joined else []
    return [to_markdown(page, level=3).strip() for page in said_once(pages)]


def shortened(result: AnyResult) -> Page:
    """A result's page without ``LEFT_OUT``."""
    if isinstance(result, LengthsFigure):
        return errors_by_length(result)
    page = page_of(result)
    kept = [section for section in page.sections if not section.heading.startswith(LEFT_OUT)]
    return Page(page.title, kept)


def said_once(pages: Sequence[Page]) -> list[Page]:
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


def _bins(figure: LengthsFigure) -> tuple:
    """What figures in one table have in common: the cutoff, and the bins with mentions."""
    bins = ((one.first, one.last, one.mentions) for one in figure.bins if one.mentions)
    return figure.cutoff, *bins


def recall_by_length(figures: Sequence[LengthsFigure]) -> Page:
    """Recall of all systems of some figures by number of sentences, without empty bins."""
    first = figures[0]
    bins = [one for one in first.bins if one.mentions]
    columns = {
        row.system: [
            row.method,
            *(percent(b.mentions - b.errors[n], b.mentions) for b in figure.bins if b.mentions),
        ]
        for figure in figures
        for n, row in enumerate(figure.rows)
    }
    header = ["sentences", "mentions", *(method for method, *_ in columns.values())]
    rows = [
        [bin_name(one), str(one.mentions), *(column[n] for column in columns.values())]
        for n, one in enumerate(bins, 1)
    ]
    caption = f"Recall@{first.cutoff} in percent by number of sentences"
    return Page(f"{caption}, {first.dataset}", [Section("", "", header, rows)])


def errors_by_length(figure: LengthsFigure) -> Page:
    """Error rates of a figure's systems and their difference, without empty bins."""
    header = ["sentences", "mentions", *(row.method for row in figure.rows), figure.difference_is]
    rows = [
        [
            bin_name(one),
            str(one.mentions),
            *(percent(errors, one.mentions) for errors in one.errors),
            f"{one.difference:+z.2f} ({bounds(one.difference_interval, sign=True)})",
        ]
        for one in figure.bins
        if one.mentions
    ]
    keys = ", ".join(f"`{row.row_key}`" for row in figure.rows)
    note = f"In brackets the 95% interval of the difference. Rows: {keys}."
    return Page(caption_of(figure.name, figure.caption), [Section("", note, header, rows)])
