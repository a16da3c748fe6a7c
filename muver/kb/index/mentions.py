r"""Mentions from a text or a file: marked text, JSON lines, CoNLL, or plain text by way of spaCy.

Marked text is ``In spring [[the smith]] forged the gate.`` A backslash before brackets makes them
plain text: ``\[[`` and ``\]]``. Of several backslashes right before brackets two stand for one;
anywhere else a backslash is itself.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType

from muver.io.errors import InputError
from muver.io.progress import Progress
from muver.io.typed import read
from muver.kb.importing.piped import STDIN, name_of, standard_input
from muver.retriever.answers import Mention
from muver.retriever.corpus.jsonl import Identity, numbered, structs
from muver.retriever.corpus.linking.benchmark import NO_ID, whole_id
from muver.retriever.corpus.linking.conll import NO_ENTITY, START, documents, has_entity
from muver.retriever.corpus.opening import opened, plain

if TYPE_CHECKING:
    from spacy.language import Language

CONTEXT = 4_000  # characters of a running text that a mention keeps on each side
ENDINGS = {
    ".jsonl": "json-lines", ".ndjson": "json-lines", ".json": "json-lines", ".conll": "conll",
    ".bio": "conll", ".iob": "conll", ".tsv": "conll", ".txt": "text", ".md": "text",
}  # fmt: skip
_BRACKETS = re.compile(r"(\\*)(\[\[|\]\])")
_ESCAPE = r"Write \[[ and \]] for brackets that mark nothing."
TOGETHER = 256  # mentions that are ranked at a time
M = TypeVar("M")
Lines = Iterable[tuple[int, bytes]]
Form = Literal["text", "json-lines", "conll"]


@dataclass(frozen=True)
class Labelled:
    """A mention in its file and line (``place``), with the id of its entity: None where no entity
    is right, UNSET where the file does not say.
    """

    mention: Mention
    place: str
    gold: str | None | UnsetType = UNSET


class _Line(Struct):
    """What a line is read for; its other keys come back with the answer."""

    mention: str
    left: str | None = None
    right: str | None = None
    world: Identity | None = None
    gold: Identity | None | UnsetType = UNSET


def read_mentions(
    path: str | Path, form: Form | None = None, ner: str | None = None
) -> Iterator[Labelled]:
    """Read mentions, one after another, of a file, which may be compressed, or ``-``, standard
    input; at most a document of it is held.

    Its form is ``text``: paragraphs with marked mentions; ``json-lines``: objects with a
    ``mention``, and perhaps ``left``, ``right``, ``world`` and ``gold``, an id or null for none of
    the entities; or ``conll``: :func:`muver.retriever.corpus.linking.conll.documents`; of AIDA's
    columns the sixth is the gold entity's id where it has a Wikipedia page's number, else the
    fourth. Without a ``form`` the file's ending tells, or its first line. A pipeline of spaCy,
    ``ner``, finds the mentions in unmarked paragraphs.
    """
    where, mention = name_of(path), None
    with standard_input() if str(path) == STDIN else opened(Path(path)) as stream:
        lines: Lines = numbered(stream)
        form = form or ("text" if ner else ENDINGS.get(plain(Path(path)).suffix.lower()))
        if form is None:
            form, lines = _guessed(lines)
        reader = READERS[form] if ner is None else partial(_recognised, nlp=_pipeline(ner))
        for mention in reader(lines, where):
            yield mention
    if mention is None:
        marks = (
            " Mark them [[like this]]; `muver query --ner` finds them." if form == "text" else ""
        )
        raise InputError(f"{where}: no mention in it, read as {form}.{marks}")


def marked(text: str, where: str, first: int | None = None) -> list[Labelled]:
    r"""The marked mentions of a text, in its order; each has the rest of the text as its context.

    ``first`` is the number of the text's first line, for messages.

    >>> [one.mention.text for one in marked(r"[[Anna]] wrote \[[1\]] to [[the smith]].", "text")]
    ['Anna', 'the smith']
    """

    def place(at: int) -> str:
        return where if first is None else f"{where}, line {first + text.count(chr(10), 0, at)}"

    plain, done = "", 0
    marks: list[tuple[str, int, int]] = []  # brackets, and their places in the plain text and here
    for mark in _BRACKETS.finditer(text):
        slashes, brackets = mark.groups()
        plain += text[done : mark.start()] + "\\" * (len(slashes) // 2)
        done = mark.end()
        if len(slashes) % 2:
            plain += brackets
        else:
            marks.append((brackets, len(plain), mark.start()))
    plain += text[done:]
    for n, (brackets, _, at) in enumerate(marks):
        if brackets != ("[[", "]]")[n % 2]:
            wrong = "a [[ within another" if n % 2 else "a ]] without its [["
            raise InputError(f"{place(at)}: {wrong}. {_ESCAPE}")
    if len(marks) % 2:
        raise InputError(f"{place(marks[-1][2])}: a [[ that no ]] closes. {_ESCAPE}")
    labelled = []
    for (_, start, at), (_, end, _) in zip(marks[::2], marks[1::2], strict=True):
        if not plain[start:end].strip():
            raise InputError(f"{place(at)}: an empty mention, [[]].")
        labelled.append(Labelled(mention_at(plain, start, end), place(at)))
    return labelled


def in_text(text: str) -> list[Labelled]:
    """The marked mentions of a text that has to have some."""
    if mentions := marked(text, "the text"):
        return mentions
    raise InputError("no mention in the text. Mark it: [[the smith]]. A file: --mentions FILE.")


def as_mentions(asked: str | Mention | Iterable[str | Mention]) -> list[Mention]:
    """One mention or several, each of which may be its text alone."""
    mentions = [asked] if isinstance(asked, str | Mention) else asked
    return [Mention(mention) if isinstance(mention, str) else mention for mention in mentions]


def mention_at(text: str, start: int, end: int) -> Mention:
    """The mention of characters ``start <= c < end`` of a text, with what stands beside it."""
    return Mention(
        text[start:end], text[max(start - CONTEXT, 0) : start], text[end : end + CONTEXT]
    )


def _guessed(lines: Lines) -> tuple[str, Lines]:
    """The format, by the first line that is not empty, and all lines again."""
    seen = []
    for number, line in lines:
        seen.append((number, line))
        if start := line.lstrip():
            form = "json-lines" if start.startswith(b"{") else "text"
            form = "conll" if start.startswith(START.encode()) else form
            return form, chain(seen, lines)
    return "text", seen


def _decoded(lines: Lines, where: str) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        try:
            yield number, line.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(f"{where}, line {number}: not UTF-8 text ({error.reason}).") from None


def _paragraphs(lines: Lines, where: str) -> Iterator[tuple[int, str]]:
    """Texts between empty lines, each with the number of its first line."""
    first, held = 0, []
    for number, line in chain(_decoded(lines, where), [(0, "")]):
        if line.strip():
            first = first if held else number
            held.append(line)
        elif held:
            yield first, "\n".join(held)
            held = []


def _json_lines(lines: Lines, where: str) -> Iterator[Labelled]:
    for number, raw in structs(lines, where, dict[str, Any]):
        place = f"{where}, line {number}"
        line = read(_Line, raw, place)
        if not line.mention.strip():
            raise InputError(f"{place}: 'mention' is empty.")
        if line.gold == "":
            raise InputError(f"{place}: 'gold' is empty. Write null where no entity is right.")
        world, gold = (str(id) if isinstance(id, int) else id for id in (line.world, line.gold))
        asked = {key: value for key, value in raw.items() if key not in _Line.__struct_fields__}
        sides = line.left or "", line.right or ""
        yield Labelled(Mention(line.mention, *sides, world, asked), place, gold)


def _texts(lines: Lines, where: str) -> Iterator[Labelled]:
    for first, text in _paragraphs(lines, where):
        yield from marked(text, where, first)


def _conll(lines: Lines, where: str) -> Iterator[Labelled]:
    for document in documents(_decoded(lines, where), where):
        text = " ".join(document.tokens)
        starts = [0, *accumulate(len(token) + 1 for token in document.tokens)]
        for mentioned in document.mentions:
            mention = mention_at(text, starts[mentioned.first], starts[mentioned.end] - 1)
            yield Labelled(mention, f"{where}, line {mentioned.line}", _gold(mentioned.columns))


def _gold(columns: list[str]) -> str | None | UnsetType:
    if not has_entity(columns):
        return UNSET
    if columns[3] == NO_ENTITY:
        return None
    page = columns[5].strip() if len(columns) > 5 else ""
    return columns[3].strip() if whole_id(page) == NO_ID else page


READERS: dict[str, Callable[[Lines, str], Iterator[Labelled]]] = {
    "text": _texts, "json-lines": _json_lines, "conll": _conll,
}  # fmt: skip


def _recognised(lines: Lines, where: str, nlp: "Language") -> Iterator[Labelled]:
    """The entities that a pipeline recognises (``doc.ents``), a paragraph at a time."""
    numbered = ((text, number) for number, text in _paragraphs(lines, where))
    for doc, first in nlp.pipe(numbered, as_tuples=True):
        for ent in doc.ents:
            line = first + doc.text.count("\n", 0, ent.start_char)
            mention = mention_at(doc.text, ent.start_char, ent.end_char)
            yield Labelled(mention, f"{where}, line {line}")


def _pipeline(name: str) -> "Language":
    """An installed pipeline such as ``en_core_web_sm``, or one in a folder."""
    import spacy

    try:
        return spacy.load(name)
    except OSError:
        raise InputError(
            f"--ner {name}: no such pipeline of spaCy is installed. Get one with: "
            "python -m spacy download en_core_web_sm"
        ) from None


def groups(mentions: Iterable[M]) -> Iterator[list[M]]:
    """Mentions in groups that are ranked together."""
    mentions = iter(mentions)
    while group := list(islice(mentions, TOGETHER)):
        yield group


def followed(mentions: Iterable[M]) -> Iterator[list[M]]:
    """The same, with lines that say how far the ranking is."""
    held = list(mentions)
    progress = Progress("ranking", len(held), "mentions")
    for group in groups(held):
        yield group
        progress.advance(len(group))
    progress.finish()
