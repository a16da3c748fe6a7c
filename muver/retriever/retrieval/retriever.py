"""Retrieval as a library: open an index on disk and rank entities for mentions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from muver.io.checking import did_you_mean
from muver.io.errors import InputError, Mistake
from muver.io.files import read_json
from muver.io.typed import read
from muver.retriever.corpus.schema import read_entities, read_sentences
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_vectors
from muver.retriever.retrieval.answers import (
    SIDES,
    Candidate,
    Mention,
    ViewPart,
    check_number,
    check_texts,
)
from muver.retriever.retrieval.exact import rank
from muver.retriever.retrieval.layers import PLACES, Parts, SystemViews
from muver.retriever.retrieval.rows import Origins, candidates
from muver.retriever.retrieval.settings import ViewsRun
from muver.retriever.vectors.block import ViewBlock
from muver.retriever.views.build import mention_contexts

BATCH_TOKENS = 4096
TEXTS = ("entities", "sentences")


class Retriever:
    """Ranks the entities of an index for mentions; README.md has an example that runs."""

    threshold: float | None = None  # a row is for comparison, so it is not calibrated

    def __init__(self, folder: Path, index: dict[str, Any]):
        self._settings = read(ViewsRun, index["settings"], "its settings")
        self.entities, self._sentences = (folder / index[name] for name in TEXTS)
        places = {name: folder / index[name] for name in PLACES if name in index}
        self._views = SystemViews(self._settings, **places)
        self._model_folder = folder / index["model"]
        self._worlds: dict[str, _World] = {}

    @classmethod
    def from_index(cls, path: str | Path) -> "Retriever":
        """Open what ``muver stage index-row`` wrote; a world is loaded when first searched."""
        index = read_json(path)
        if not isinstance(index, dict) or not {*TEXTS, "model", "store"} <= index.keys():
            raise InputError(f"{path}: not an index. Make one with `muver stage index-row`.")
        return cls(Path(path).absolute().parent, index)

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds that can be searched."""
        return self._views.worlds

    @cached_property
    def model(self) -> BiEncoder:
        """The model; only its mention tower is used here."""
        return BiEncoder.from_pretrained(self._model_folder).eval()

    @torch.inference_mode()
    def retrieve(self, mentions: Sequence[Mention], k: int = 64) -> list[list[Candidate]]:
        """The best ``k`` candidates of each mention's world, best first; all if there are fewer."""
        check_number(k, "k")
        names = [self._world_of(mention) for mention in mentions]
        vectors, aggregate = encode(mentions, self.model), self._views.aggregate
        found: list[list[Candidate]] = [[] for _ in mentions]
        for name in dict.fromkeys(names):
            rows = [row for row, other in enumerate(names) if other == name]
            world = self._world(name)
            ranking = rank(
                vectors[rows], [world.index], k, aggregate, self._settings.memory_mb,
                self._settings.metric,
            )  # fmt: skip
            for row, *ranked in zip(rows, *ranking, strict=True):
                found[row] = [
                    world.candidate(int(entity), float(score), int(view))
                    for entity, score, view in zip(*ranked, strict=True)
                    if entity >= 0
                ]
        return found

    @torch.inference_mode()
    def parts(self, mention: Mention, candidate: Candidate) -> list[ViewPart]:
        """What each view of a candidate adds to its score for a mention, greatest share first.

        ``candidate`` is from :meth:`retrieve`. If titles decide, it has the views of all entities
        with its title.
        """
        world = self._world(self._world_of(mention))
        (vector,) = encode([mention], self.model)
        metric = self._settings.metric
        own = Parts.of(vector, world.index, candidate.entity, self._views.aggregate, metric)
        return [
            ViewPart(float(similarity), float(share), *world.view(int(owner), int(row)))
            for similarity, share, owner, row in zip(*own, strict=True)
        ]

    def sentences(self, world: str, entity: int) -> list[str]:
        """The sentences of the entity of this number in a world."""
        return self._world(world).sentences[entity].as_py()

    def _world(self, name: str) -> "_World":
        if name not in self._worlds:
            table = read_entities(self.entities, [name])
            titles, ids = (table[column].to_pylist() for column in ("title", "document_id"))
            parts, owners, origins = self._views.world(name)
            index = ViewBlock.of(parts, owners, candidates(titles, self._settings.match))
            sentences = read_sentences(self._sentences, [name])["sentences"]
            self._worlds[name] = _World(name, index, ids, titles, origins, sentences)
        return self._worlds[name]

    def _world_of(self, mention: Mention) -> str:
        if mention.world is None and len(self.worlds) == 1:
            return self.worlds[0]
        if mention.world not in self.worlds:
            wrong = "names no world, and there are several."
            if mention.world is not None:
                near = did_you_mean(mention.world, self.worlds)
                wrong = f"world {mention.world!r} is not in this index.{near}"
            raise Mistake(f"mention {mention.text!r}: {wrong} There are: {', '.join(self.worlds)}.")
        return mention.world


@torch.inference_mode()
def encode(mentions: Sequence[Mention], model: BiEncoder | str | Path) -> np.ndarray:
    """(mentions, d) float32 vectors of mentions in their contexts; texts are lower-cased.

    ``model`` is one that is loaded, which computes where it lies, or a model's directory. Raises an
    InputError for a model of token vectors, which gives no single one.
    """
    check_texts(mentions)
    if not isinstance(model, BiEncoder):
        model = BiEncoder.from_pretrained(model).eval()
    if model.config.score == "sum_max":
        raise InputError("the model compares token vectors. Take one that makes one vector a text.")
    sides = ([getattr(mention, side).lower() for mention in mentions] for side in SIDES)
    ids = mention_contexts(*sides, model.config.context, model.pieces)
    device = next(model.parameters()).device
    return encode_vectors(model.encode_mentions, ids, model.dimension, BATCH_TOKENS, device)


@dataclass(frozen=True)
class _World:
    name: str
    index: ViewBlock
    document_ids: list[str]
    titles: list[str]
    origins: Origins
    sentences: pa.ChunkedArray  # of each entity

    def view(self, entity: int, row: int) -> tuple[int, int, int, str]:
        """Layer, first and last sentence of a view, and these sentences."""
        layer, first, last = (int(column[row]) for column in self.origins)
        text = " ".join(self.sentences[entity].as_py()[max(first, 0) : last + 1])
        return layer, first, last, text

    def candidate(self, entity: int, score: float, row: int) -> Candidate:
        named = self.document_ids[entity], self.titles[entity]
        return Candidate(entity, *named, score, *self.view(entity, row), self.name)
