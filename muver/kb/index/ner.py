"""Mentions that spaCy finds in running text."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from muver.io.errors import InputError
from muver.kb.index.labelled import Labelled, cut

if TYPE_CHECKING:
    from spacy.language import Language

INSTALL = "Install it with: pip install 'muver[spacy]'"


def found_mentions(
    texts: Iterable[tuple[int, str]], pipeline: str, where: str
) -> Iterator[Labelled]:
    """The entities that a pipeline recognises (``doc.ents``), a text at a time.

    Parameters
    ----------
    texts
        Each with the number of its first line.
    pipeline
        Name of an installed one such as ``en_core_web_sm``, or its folder.
    where
        What the file is called in messages.
    """
    nlp = _loaded(pipeline)
    numbered = ((text, number) for number, text in texts)
    for doc, first in nlp.pipe(numbered, as_tuples=True):
        for one in doc.ents:
            line = first + doc.text.count("\n", 0, one.start_char)
            yield Labelled(cut(doc.text, one.start_char, one.end_char), f"{where}, line {line}")


def _loaded(pipeline: str) -> "Language":
    try:
        import spacy
    except ModuleNotFoundError:
        raise InputError(f"--ner: spaCy is not installed. {INSTALL}") from None
    try:
        nlp = spacy.load(pipeline)
    except OSError:
        raise InputError(
            f"--ner {pipeline}: no such pipeline of spaCy is installed. Get one with: "
            "python -m spacy download en_core_web_sm"
        ) from None
    if not {"ner", "entity_ruler", "span_ruler"} & set(nlp.pipe_names):
        parts = ", ".join(nlp.pipe_names) or "none"
        raise InputError(f"--ner {pipeline}: recognises no entities. It has: {parts}.")
    return nlp
