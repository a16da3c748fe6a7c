"""What people read of an index: answers as tables, in a terminal or a notebook, and its card."""

import shutil
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from muver.io.text import counted, visible
from muver.kb.index.answer import Answer
from muver.kb.index.index_settings import in_words
from muver.retriever.answers import NO_VIEW, Mention

WIDTH = 100  # characters of a line where no terminal says it
WIDEST = {"title": 28, "id": 16, "world": 16}  # characters of a column in a terminal
BESIDE = 36  # characters of the context on each side


class Answers(list[Answer]):
    """Answers in the order of their mentions, which show themselves where Python prints them.

    ``threshold`` is the least probability with which a best candidate is the answer, None of an
    index that is not calibrated; ``several`` says that it has more than one world.
    """

    def __init__(
        self, answered: Iterable[tuple[Mention, Answer]], threshold: float | None, several: bool
    ):
        pairs = list(answered)
        super().__init__(answer for _, answer in pairs)
        self._shown = [(mention, answer, threshold, several) for mention, answer in pairs]

    def __repr__(self) -> str:
        return "\n".join(in_terminal(*shown) for shown in self._shown)

    def _repr_html_(self) -> str:
        return "".join(in_notebook(*shown) for shown in self._shown)


def in_terminal(
    mention: Mention, answer: Answer, threshold: float | None, worlds: bool = False
) -> str:
    """The mention in its place, what was decided, and the candidates, perhaps with their worlds."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = shutil.get_terminal_size((WIDTH, 24)).columns
    # Without colours: an answer is the same text in a terminal, in a file and in a notebook.
    console = Console(width=width, color_system=None, highlight=False, markup=False, emoji=False)
    left, text, right = _in_context(mention)
    lines = [f"{left}[{text}]{right}", *_decided(answer, threshold)]
    if not answer.candidates:
        return "\n".join([*lines, ""])
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=True)
    rows = _rows(answer, worlds)
    for name in rows[0]:
        justify = "right" if name in ("", "score") else "left"
        most, ratio = WIDEST.get(name), 1 if name == "found by" else None
        table.add_column(name, justify=justify, no_wrap=True, max_width=most, ratio=ratio)
    for row in rows:
        table.add_row(*map(Text, row.values()))
    with console.capture() as captured:
        console.print(table)
    lines += [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([*lines, ""])


def in_notebook(
    mention: Mention, answer: Answer, threshold: float | None, worlds: bool = False
) -> str:
    """The same as HTML."""
    left, text, right = map(escape, _in_context(mention))
    decision = "".join(f"<br>{escape(line)}" for line in _decided(answer, threshold))
    rows = _rows(answer, worlds)
    head = "".join(f"<th>{name}</th>" for row in rows[:1] for name in row)
    body = "".join(
        f"<tr>{''.join(f'<td style=text-align:left>{escape(cell)}</td>' for cell in row.values())}"
        "</tr>"
        for row in rows
    )
    table = f"<table><tr>{head}</tr>{body}</table>" if rows else ""
    return f"<p>{left}<mark>{text}</mark>{right}{decision}</p>{table}"


def _in_context(mention: Mention) -> tuple[str, str, str]:
    """What stands to the left of a mention, near it, the mention, and what stands to the right:
    beside a space that it has, or where a word ends.
    """
    left, text, right = (_flat(part) for part in (mention.left, mention.text, mention.right))
    if len(left) > BESIDE:
        left = f"…{left[-BESIDE:].lstrip()}"
    if len(right) > BESIDE:
        right = f"{right[:BESIDE].rstrip()}…"
    nearest = mention.left[-1:], mention.right[:1]
    before, after = (" " if one.isspace() or one.isalnum() else "" for one in nearest)
    return f"{left}{before}".lstrip(), text, f"{after}{right}".rstrip()


def _decided(answer: Answer, threshold: float | None) -> list[str]:
    """A line on what was decided, where there is something to say."""
    if not answer.candidates:
        return ["No candidate."]
    if answer.probability is None or threshold is None:
        return []
    best = answer.candidates[0]
    decided = "None of these" if answer.answer is None else _flat(best.title) or best.id
    chance = f"{answer.probability:.2f} (threshold {threshold:.2f})"
    return [f"{decided}. The best one is right with probability {chance}."]


def _rows(answer: Answer, worlds: bool) -> list[dict[str, str]]:
    """The cells of each candidate by the names of their columns, perhaps with its world."""
    rows = []
    for candidate in answer.candidates:
        signals = in_words(candidate.signals)
        by = candidate.text or (signals if candidate.layer == NO_VIEW else "(its title)")
        world = {"world": candidate.world or ""} if worlds else {}
        cells = {"title": candidate.title, "id": candidate.id, **world, "found by": by}
        cells = {name: _flat(cell) for name, cell in cells.items()}
        rows.append({"": str(candidate.rank), "score": f"{candidate.score:.2f}", **cells})
    return rows


def _flat(text: str) -> str:
    """A text in one line of known width."""
    return visible(" ".join(text.split()))


def card_of(info: Mapping[str, Any], name: str) -> str:
    """The card of an index, of which :meth:`muver.Index.info` says so much."""
    model = f"the model `{info['model']}`" if info["model"] else "words and names alone"
    worlds = ", ".join(info["worlds"])
    entities = counted(info["entities"], "entity", "entities")
    card = Path(__file__).with_name("card.md").read_text(encoding="utf-8")
    return card.format(name=name, entities=entities, model=model, worlds=worlds)
