"""What ``muver query`` does: mentions in, a table or a line of JSON each."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.kb.index.answer import Searched, answers
from muver.kb.index.mentions import STDIN, Labelled, marked, read_mentions
from muver.kb.index.shown import in_terminal


def query(
    index: Path,
    text: str | None = None,
    mentions: str | None = None,
    form: str | None = None,
    ner: str | None = None,
    world: str | None = None,
    k: int = 10,
    as_json: bool = False,
    qdrant: str | None = None,
) -> None:
    """Answer mentions and print the answers as they come.

    Parameters
    ----------
    index
        A folder of `muver index create`, or the JSON file of a row.
    text
        Marked mentions (:func:`muver.kb.index.mentions.marked`); ``-`` reads standard input.
    mentions, form, ner
        A file in place of a text, as :func:`muver.kb.index.mentions.read_mentions` takes them.
    world
        Of mentions that name none.
    qdrant
        As :func:`opened_index` takes it.
    as_json
        A line of JSON a mention (:class:`muver.kb.index.answer.Answer`) in place of tables.
    """
    if k < 1:
        raise InputError(f"-k {k}: not a number of candidates; at least 1 is.")
    given = _given(text, mentions, form, ner)
    searched = opened_index(index, qdrant)
    asked = (one.mention for one in checked(given, searched, world))
    for mention, answer in answers(searched, asked, k):
        if as_json:
            print(msgspec.json.encode(answer).decode())
        else:
            print(in_terminal(mention, answer, searched.threshold))


def _given(
    text: str | None, mentions: str | None, form: str | None, ner: str | None
) -> Iterator[Labelled]:
    if mentions is not None or text == STDIN:
        return read_mentions(mentions or STDIN, form, ner)
    if form is not None or ner is not None:
        raise InputError("--format and --ner: for a file by --mentions, or for standard input.")
    read = marked(text, "the text")
    if not read:
        file = f" Is it a file? Then --mentions {text}." if Path(text).is_file() else ""
        raise InputError(f"no mention in the text. Mark it: [[the smith]].{file}")
    return iter(read)


def opened_index(path: Path, qdrant: str | None = None) -> Searched:
    """An index of one's own entities (a folder), or of a row (its file).

    Parameters
    ----------
    qdrant
        Address of the collection in which a folder's entities are searched; None: its own files.
    """
    if path.is_dir():
        from muver.kb.index.index import open_index

        return open_index(path, qdrant)
    if qdrant is not None:
        raise InputError(f"{path}: no folder. --qdrant is for those of `muver index create`.")
    from muver.retriever.retrieval.retriever import Retriever

    return Retriever.from_index(path)


def checked(
    mentions: Iterable[Labelled], index: Searched, world: str | None = None
) -> Iterator[Labelled]:
    """The mentions, in worlds that the index has.

    Parameters
    ----------
    world
        Of mentions that name none.
    """
    known = set(index.worlds)
    for one in mentions:
        named = one.mention.world or world
        if named is not None and named not in known:
            raise InputError(
                f"{one.place if one.mention.world else '--world'}: world {named!r} is not in the "
                f"index.{did_you_mean(named, known)} There are: {', '.join(sorted(known))}."
            )
        yield replace(one, mention=replace(one.mention, world=named))
