"""A component of spaCy's pipelines, ``muver_linker``: the entities of an index for a document's.

nlp.add_pipe("muver_linker", config={"index": "INDEX"})
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from spacy.language import Language
from spacy.pipeline import EntityLinker
from spacy.tokens import Doc, Span
from spacy.util import minibatch

from muver.io.errors import InputError
from muver.kb.index.index import Index
from muver.kb.index.mentions import mention_at

FACTORY = "muver_linker"
EXTENSIONS = {"candidates": [], "probability": None}


class Linker:
    """Sets ``ent.kb_id_`` of the recognised entities, and the candidates it was chosen from.

    ``ent._.candidates`` are dictionaries (:class:`muver.kb.index.answer.Found`), best first, and
    ``ent._.probability`` is the probability that the first is right, where the index is
    calibrated. Where none is right, ``ent.kb_id_`` is "NIL", as with spaCy's own component.
    Without a ``world`` all are searched.
    """

    def __init__(self, path: Path, k: int, world: str | None):
        self._given = path.absolute(), k, world
        self._index, self._k, self._world = Index.open(path), k, world
        for name, value in EXTENSIONS.items():
            if not Span.has_extension(name):
                Span.set_extension(name, default=value)

    def __reduce__(self) -> tuple[type["Linker"], tuple[Path, int, str | None]]:
        return Linker, self._given  # a process that is not forked opens the index anew

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], batch_size: int = 128) -> Iterator[Doc]:
        for group in minibatch(docs, batch_size):
            entities = [entity for doc in group for entity in doc.ents]
            asked = (
                replace(mention_at(ent.doc.text, ent.start_char, ent.end_char), world=self._world)
                for ent in entities
            )
            found = self._index.answers(asked, self._k)
            for entity, (_, answer) in zip(entities, found, strict=True):
                for token in entity:
                    token.ent_kb_id_ = answer.answer or EntityLinker.NIL
                entity._.candidates = msgspec.to_builtins(answer.candidates)
                entity._.probability = answer.probability
            yield from group


@Language.factory(
    FACTORY,
    default_config={"index": None, "k": 10, "world": None},
    requires=["doc.ents"],
    assigns=["token.ent_kb_id", *(f"span._.{name}" for name in EXTENSIONS)],
)
def linker(nlp: Language, name: str, index: str | None, k: int, world: str | None) -> Any:
    """Make the component of the folder of an index."""
    if index is None:
        raise InputError(f'{name}: needs an index: config={{"index": "FOLDER"}}.')
    return Linker(Path(index), k, world)
