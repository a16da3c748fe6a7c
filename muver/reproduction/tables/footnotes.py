"""Footnotes of tables, for rows that need a remark."""

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_lowercase

from muver.reproduction.tables.page import Section
from muver.reproduction.tables.records import Row


def with_footnotes(section: Section, rows: Sequence[Row]) -> Section:
    """Put the notes of ``rows`` below a grid of methods; equal notes share a letter.

    Pages show the letter after the method. The grid itself, and so the CSV, keeps the bare names.
    """
    notes = {row.method: row.note for row in rows if row.note}
    letters = dict(zip(dict.fromkeys(notes.values()), ascii_lowercase, strict=False))
    marks = {
        line: letters[notes[cells[0]]]
        for line, cells in enumerate(section.rows)
        if cells[0] in notes
    }
    footnotes = {letter: note for note, letter in letters.items() if letter in marks.values()}
    return replace(section, marks=marks, footnotes=footnotes)
