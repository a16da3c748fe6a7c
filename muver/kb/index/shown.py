"""An answer for a terminal: the mention in its place, what it is, and a table of the candidates."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

from muver.kb.index.answer import Answer
from muver.retriever.retrieval.answers import NO_VIEW, Mention

if TYPE_CHECKING:
    from rich.table import Table

WIDTH = 100  # characters of a line where no terminal says it
BESIDE = 36  # characters of the context on each side


def in_terminal(mention: Mention, answer: Answer, threshold: float | None) -> str:
    """An answer in lines."""
    from io import StringIO

    from rich.console import Console

    lines = StringIO()
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    console = Console(file=lines, width=width, highlight=False, markup=False, emoji=False)
    console.print(_in_context(mention), soft_wrap=True)
    for line in _decision(answer, threshold):
        console.print(line)
    if answer.candidates:
        console.print(_table(answer))
    return "\n".join(line.rstrip() for line in lines.getvalue().splitlines()) + "\n"


def _in_context(mention: Mention) -> str:
    left, text, right = (_flat(part) for part in (mention.left, mention.text, mention.right))
    return " ".join(filter(None, [_end(left), f"[{text}]", _start(right)]))


def _decision(answer: Answer, threshold: float | None) -> Iterator[str]:
    """The decision of a calibrated index in a line; of any other, whether nothing was found."""
    if not answer.candidates:
        yield "No candidate: there are no entities."
    elif answer.probability is not None and threshold is not None:
        best = answer.candidates[0]
        said = "None of these" if answer.answer is None else _flat(best.title) or best.id
        chance = f"{answer.probability:.2f} (threshold {threshold:.2f})"
        yield f"{said}. The best one is right with probability {chance}."


def _table(answer: Answer) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("title", no_wrap=True, overflow="ellipsis", max_width=28)
    table.add_column("id", no_wrap=True, overflow="ellipsis", max_width=16)
    table.add_column("found by", no_wrap=True, overflow="ellipsis", ratio=1)
    for rank, one in enumerate(answer.candidates, start=1):
        by = one.text or ("(its words)" if one.layer == NO_VIEW else "(its title)")
        texts = (one.title, one.id, by)
        table.add_row(str(rank), f"{one.score:.2f}", *(Text(_flat(text)) for text in texts))
    return table


def _flat(text: str) -> str:
    """A text in one line, without what would move a terminal's cursor."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _end(text: str) -> str:
    return text if len(text) <= BESIDE else f"…{text[-BESIDE:].lstrip()}"


def _start(text: str) -> str:
    return text if len(text) <= BESIDE else f"{text[:BESIDE].rstrip()}…"
