"""What ``muver query`` does: mentions in, a table or a line of JSON each."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from muver.io.errors import InputError
from muver.io.text import visible
from muver.kb.importing.piped import STDIN
from muver.kb.index.answer import Answer, answers, checked
from muver.kb.index.mentions import Form, Labelled, marked, read_mentions
from muver.kb.index.opening import DEPTH, opened_index
from muver.retriever.retrieval.answers import NO_VIEW, Mention

WIDTH = 100  # characters of a line where no terminal says it
BESIDE = 36  # characters of the context on each side


def query(
    index: Path,
    text: str | None = None,
    *,
    mentions: str | None = None,
    form: Form | None = None,
    ner: str | None = None,
    world: str | None = None,
    k: int = 10,
    as_json: bool = False,
    qdrant: str | None = None,
    rerank: Path | None = None,
    depth: int = DEPTH,
) -> None:
    """Answer mentions and print the answers as they come, as tables or a line of JSON each.

    docs/own-data.md says how mentions are written, and what the JSON has.

    Parameters
    ----------
    index
        Folder of `muver index create`, or JSON of a row.
    text
        Text with its mentions marked: 'In spring [[the smith]] forged it.'; - reads standard input.
    mentions
        In its place a file of mentions: marked text, JSON lines (mention, and perhaps left, right,
        world, gold) or CoNLL; - is standard input.
    form
        By default told by the file's ending, or its first line.
    ner
        Pipeline of spaCy that finds the mentions in plain text, such as en_core_web_sm.
    world
        Of mentions that name none.
    k
        Candidates of a mention.
    as_json
        A line of JSON a mention (:class:`muver.kb.index.answer.Answer`) in place of tables.
    qdrant
        Search the entities that `muver index push` brought to this collection; the folder's name
        is the collection's if the URL has none.
    rerank
        Folder of a cross-encoder (a model of score cross), which ranks the first candidates again.
    depth
        How many of them.
    """
    if (text is None) == (mentions is None):
        raise InputError("give either a text with marked mentions or --mentions FILE.")
    given = _given(text, mentions, form, ner)
    opened = opened_index(index, qdrant, rerank, depth)
    asked = (one.mention for one in checked(given, opened, world))
    for mention, answer in answers(opened, asked, k):
        if as_json:
            print(msgspec.json.encode(answer).decode())
        else:
            print(in_terminal(mention, answer, opened.threshold, len(opened.worlds) > 1))


def _given(
    text: str | None, mentions: str | None, form: Form | None, ner: str | None
) -> Iterator[Labelled]:
    if mentions is not None or text == STDIN:
        return read_mentions(mentions or STDIN, form, ner)
    if form is not None or ner is not None:
        raise InputError("--format and --ner: for a file by --mentions, or for standard input.")
    read = marked(text, "the text")
    if not read:
        raise InputError("no mention in the text. Mark it: [[the smith]]. A file: --mentions FILE.")
    return iter(read)


def in_terminal(
    mention: Mention, answer: Answer, threshold: float | None, worlds: bool = False
) -> str:
    """The mention in its place, what was decided, and the candidates, perhaps with their worlds."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = shutil.get_terminal_size((WIDTH, 24)).columns
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    left, text, right = (_flat(part) for part in (mention.left, mention.text, mention.right))
    if len(left) > BESIDE:
        left = f"…{left[-BESIDE:].lstrip()}"
    if len(right) > BESIDE:
        right = f"{right[:BESIDE].rstrip()}…"
    lines = [" ".join(filter(None, [left, f"[{text}]", right]))]
    if not answer.candidates:
        return f"{lines[0]}\nNo candidate.\n"
    if answer.probability is not None and threshold is not None:
        best = answer.candidates[0]
        decided = "None of these" if answer.answer is None else _flat(best.title) or best.id
        chance = f"{answer.probability:.2f} (threshold {threshold:.2f})"
        lines.append(f"{decided}. The best one is right with probability {chance}.")
    columns = {"title": 28, "id": 16, **({"world": 16} if worlds else {}), "found by": None}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=True)
    for name in ("", "score"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, most in columns.items():
        ratio = None if most else 1
        table.add_column(name, no_wrap=True, overflow="ellipsis", max_width=most, ratio=ratio)
    for rank, one in enumerate(answer.candidates, start=1):
        by = one.text or ("(its words)" if one.layer == NO_VIEW else "(its title)")
        texts = [one.title, one.id, *([one.world or ""] if worlds else []), by]
        table.add_row(str(rank), f"{one.score:.2f}", *(Text(_flat(text)) for text in texts))
    with console.capture() as captured:
        console.print(table)
    lines += [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([*lines, ""])


def _flat(text: str) -> str:
    """A text in one line of known width."""
    return visible(" ".join(text.split()))
