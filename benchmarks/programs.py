"""The programs that are measured beside each other, each as its users call it.

Each loads what it needs, makes an index of the entities, and finds those of the mentions. It tells
the task when the one ends and the next begins.
"""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

CUTOFFS = (1, 4, 16, 64)
Found = list[tuple[str, float]]  # ids and scores of the best entities, best first


class Entity(NamedTuple):
    """A page of the world."""

    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """Title and text."""
        return f"{self.title}. {self.text}"


class Mention(NamedTuple):
    """A mention, the words of its page before and after it, that page, and its entity."""

    text: str
    left: str
    right: str
    page: str
    gold: str

    @property
    def context(self) -> str:
        """The mention with 32 words on each side."""
        return " ".join([*self.left.split()[-32:], self.text, *self.right.split()[:32]])


@dataclass(frozen=True)
class Task:
    """What a program is to find, and the processor's time at the end of each step.

    Attributes
    ----------
    k
        Number of entities for each mention.
    encoder
        Path of a sentence encoder.
    folder
        For what a program writes.
    """

    entities: Sequence[Entity]
    mentions: Sequence[Mention]
    k: int
    encoder: str
    folder: Path
    laps: list[float] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """The mentions alone."""
        return [mention.text for mention in self.mentions]

    @property
    def titles(self) -> list[str]:
        """Of the entities."""
        return [entity.title for entity in self.entities]

    def lap(self) -> None:
        """A step ends here: loading, then making. Seconds of the processor, in all threads, are
        valid on a busy machine too.
        """
        self.laps.append(time.process_time())

    def named(self, ranked: Iterable[Iterable[tuple[int, float]]]) -> list[Found]:
        """Ids in place of entities' numbers, without scores of zero: they share no word."""
        return [[(self.entities[n].id, float(s)) for n, s in pairs if s] for pairs in ranked]

    def best(self, scores: np.ndarray) -> list[Found]:
        """The best of (mentions, entities) scores."""
        orders = np.argsort(-scores, axis=1, kind="stable")[:, : self.k]
        best = np.take_along_axis(scores, orders, axis=1)
        return self.named(zip(*pair, strict=True) for pair in zip(orders, best, strict=True))

    def write(self, title: str) -> str:
        """Path of the entities as JSON lines: id, description, and the title under this name."""
        path = self.folder / "entities.jsonl"
        rows = ({"id": e.id, title: e.title, "description": e.text} for e in self.entities)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)


def sentence_transformers_title(task: Task) -> list[Found]:
    """Vectors of titles, and of the mention alone."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import semantic_search

    model = SentenceTransformer(task.encoder, device="cpu")
    task.lap()
    titles = model.encode(task.titles, convert_to_tensor=True)
    task.lap()
    asked = model.encode(task.texts, convert_to_tensor=True)
    found = semantic_search(asked, titles, top_k=task.k)
    return task.named([(hit["corpus_id"], hit["score"]) for hit in hits] for hits in found)


def sentence_transformers_sum(task: Task) -> list[Found]:
    """The mention beside title and beside title and text, and its context beside these."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import cos_sim

    model = SentenceTransformer(task.encoder, device="cpu")
    task.lap()
    titles = model.encode(task.titles)
    texts = model.encode([entity.whole for entity in task.entities])
    task.lap()
    alone = model.encode(task.texts)
    within = model.encode([mention.context for mention in task.mentions])
    scores = 0.75 * cos_sim(alone, titles) + 0.75 * cos_sim(alone, texts)
    return task.best((scores + cos_sim(within, texts)).numpy())


def scispacy(task: Task) -> list[Found]:
    """scispaCy's way: TF-IDF of three characters of names. Its least counts are for UMLS."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    task.lap()
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), dtype=np.float32)
    names = vectors.fit_transform(task.titles)
    task.lap()
    return task.best((vectors.transform(task.texts) @ names.T).toarray())


def bm25s(task: Task) -> list[Found]:
    """BM25 of the mention over titles and texts."""
    import bm25s

    task.lap()
    index = bm25s.BM25()
    index.index(bm25s.tokenize([entity.whole for entity in task.entities], stopwords="en"))
    task.lap()
    tokens = bm25s.tokenize(task.texts, stopwords="en")
    found = index.retrieve(tokens, k=min(task.k, len(task.entities)))
    return task.named(zip(*pair, strict=True) for pair in zip(*found, strict=True))


def rapidfuzz(task: Task) -> list[Found]:
    """Titles like the mention, by the measure that it takes by default."""
    from rapidfuzz import process, utils

    task.lap()
    titles = [utils.default_process(title) for title in task.titles]
    task.lap()
    asked = [utils.default_process(text) for text in task.texts]
    found = (process.extract(text, titles, limit=task.k) for text in asked)
    return task.named([(n, score) for _, score, n in hits] for hits in found)


def entity_linkings_bm25(task: Task) -> list[Found]:
    """BM25 of the mention over names."""
    from entity_linkings import get_retrievers, load_dictionary

    task.lap()
    dictionary = load_dictionary(task.write("name"))
    retriever = get_retrievers("bm25")(dictionary, index_path=str(task.folder))
    task.lap()
    scores, ids = retriever.indexer.search_knn(task.texts, top_k=task.k)
    pairs = (zip(*pair, strict=True) for pair in zip(ids, scores, strict=True))
    return [[(id, float(score)) for id, score in hits if score] for hits in pairs]


def entity_linkings_embedding(task: Task) -> list[Found]:
    """Its text embedding, untrained: the mention marked in its context, beside name and text."""
    import datasets
    import torch
    from entity_linkings import get_retrievers, load_dictionary
    from entity_linkings.candidate_retriever.textembedding.encoder import TextEmbeddingModel
    from transformers import AutoTokenizer

    retrieving, path = get_retrievers("textembedding"), str(task.folder / "model")
    config = retrieving.Config(model_name_or_path=path)
    torch.manual_seed(0)  # of the vectors of its marks, which the encoder does not know
    tokenizer = AutoTokenizer.from_pretrained(task.encoder)
    marks = [config.ent_start_token, config.ent_end_token, config.entity_token, config.nil_token]
    tokenizer.add_special_tokens({"additional_special_tokens": marks})
    model = TextEmbeddingModel(task.encoder, config.pooling, config.distance, config.temperature)
    model.resize_token_embeddings(len(tokenizer))
    tokenizer.save_pretrained(path)
    model.save_pretrained(path)
    task.lap()
    retriever = retrieving(load_dictionary(task.write("name")), config, str(task.folder))
    task.lap()
    rows = []
    for text, left, right, _, gold in task.mentions:
        span = {"start": len(left) + 1, "end": len(left) + 1 + len(text), "label": [gold]}
        rows.append({"text": f"{left} {text} {right}", "entities": [span]})
    found = retriever.retrieve_candidates(datasets.Dataset.from_list(rows), top_k=task.k)
    return [[(id, -float(place)) for place, id in enumerate(ids)] for ids in found]


def own_index(task: Task, encoder: bool) -> list[Found]:
    """An index of one's own by muver's defaults."""
    import torch  # noqa: F401  # as with the others, before the time begins
    import transformers  # noqa: F401

    import muver
    from muver.cli import main

    task.lap()
    command = ["index", "create", task.write("title"), "--out", str(task.folder / "index")]
    if main([*command, *(["--model", task.encoder] if encoder else [])]):
        raise SystemExit(2)
    task.lap()
    index = muver.Index.open(task.folder / "index")
    asked = [muver.Mention(*mention[:3]) for mention in task.mentions]
    return [
        [(hit.document_id, hit.score) for hit in hits] for hits in index.retrieve(asked, task.k)
    ]


OURS = "muver, with the encoder"
PROGRAMS: dict[str, Callable[[Task], list[Found]]] = {
    OURS: partial(own_index, encoder=True),
    "muver, no encoder": partial(own_index, encoder=False),
    "sentence-transformers, mention and title": sentence_transformers_title,
    "sentence-transformers, three summed": sentence_transformers_sum,
    "scispaCy's way, characters of names": scispacy,
    "bm25s, mention in title and text": bm25s,
    "rapidfuzz, mention and title": rapidfuzz,
    "entity-linkings, bm25": entity_linkings_bm25,
    "entity-linkings, text embedding": entity_linkings_embedding,
}
