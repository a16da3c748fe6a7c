"""What ``muver query`` does: mentions in, a table or a line of JSON each."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from muver.io.errors import InputError
from muver.kb.importing.piped import STDIN
from muver.kb.index.index_settings import Asking, read_weights
from muver.kb.index.mentions import Form, Labelled, in_text, read_mentions
from muver.kb.index.shown import in_terminal


def query(
    index: Path,
    text: str | None = None,
    *,
    mentions: str | None = None,
    form: Form | None = None,
    ner: str | None = None,
    world: str | None = None,
    k: int = 10,
    where: Sequence[tuple[str, str]] = (),
    weights: str | None = None,
    settings: Asking | None = None,
    as_json: bool = False,
    rerank: Path | None = None,
    depth: int | None = None,
) -> None:
    """Find the entities of mentions, and print them.

    They are printed as they come, as tables or a line of JSON each.

    docs/own-data.md says how mentions are written, and what the JSON has.

    Parameters
    ----------
    index
        Folder of an index, such as of `muver index create`.
    text
        Text with its mentions marked: 'In spring [[the smith]] forged it.'; - reads standard input.
    mentions
        A file of mentions in place of TEXT: marked text, JSON lines (mention, and perhaps left,
        right, world, gold) or CoNLL; - is standard input.
    form
        The form of the file. By default its ending tells it, or its first line.
    ner
        Pipeline of spaCy that finds the mentions in plain text, such as en_core_web_sm.
    world
        The world in which mentions that name none are resolved.
    k
        How many candidates a mention gets.
    where
        COLUMN=VALUE: only entities whose further column has this value; several must all hold.
    weights
        How much signals count, for this once, such as words=1,names=0.
    settings
        In place of the index's, for this once.
    as_json
        A line of JSON a mention (:class:`muver.kb.index.answer.Answer`) in place of tables.
    rerank
        Folder of a cross-encoder (a model of score cross), which ranks the first candidates again.
    depth
        How many candidates the cross-encoder ranks; 64 unless given.
    """
    if (text is None) == (mentions is None):
        raise InputError("give either a text with marked mentions or --mentions FILE.")
    mentions_asked = _mentions(text, mentions, form, ner)
    from muver.kb.index.index import opened_index

    opened = opened_index(index, rerank, depth)
    if where:
        opened = opened.where(**dict(where))
    if settings:
        opened = opened.asking(**settings.as_dict())
    asked = (line.mention for line in opened.checked(mentions_asked, world))
    for mention, answer in opened.answers(asked, k, read_weights(weights)):
        if as_json:
            print(msgspec.json.encode(answer).decode())
        else:
            print(in_terminal(mention, answer, opened.threshold, len(opened.worlds) > 1))


def _mentions(
    text: str | None, mentions: str | None, form: Form | None, ner: str | None
) -> Iterator[Labelled]:
    if mentions is not None or text == STDIN:
        return read_mentions(mentions or STDIN, form, ner)
    if form is not None or ner is not None:
        raise InputError("--format and --ner: for a file by --mentions, or for standard input.")
    return iter(in_text(text))
