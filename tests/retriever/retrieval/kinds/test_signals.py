"""Sums of signals: what they rank, the weights that they choose, and rows among them."""

import numpy as np
import pytest

from muver.io.files import read_json
from muver.retriever.corpus.schema import read_entities, read_mentions
from muver.retriever.encoders.worlds import Encode, GlobalViews, encode_global, encode_split
from muver.retriever.retrieval import kinds
from muver.retriever.retrieval.kinds import signals
from muver.retriever.retrieval.retrieval_settings import ViewsSignal
from muver.retriever.retrieval.signals.catalog import Catalog
from muver.retriever.retrieval.signals.texts import TextsOfSplit, encode_texts
from muver.retriever.runs.run import by_mention, read_run
from tests import tiny

SETTINGS = {"split": "test", "k": 4, "match": "title", "cutoff": 1}
ALL = ["words", "characters", "names", "names_text", "context"]
VIEWS = {
    "aggregate": "max", "merge_layers": 0, "metric": "dot", "search": None, "global_view": False,
}  # fmt: skip
COSINES = {**VIEWS, "cosines": True}
RUN = {"k": 4, "match": "title", "memory_mb": 1, "split": "test"}


@pytest.fixture(scope="module")
def made(encoder, corpus, tmp_path_factory):
    """What the stages make of a model with unit vectors: texts and stores of both splits."""
    folder = tmp_path_factory.mktemp("signals")
    tiny.make_model(encoder, scale=16).save_pretrained(folder / "model")
    entities, mentions, sentences = corpus
    for split in ("val", "test"):
        texts, store = folder / f"{split}-texts", folder / f"{split}-store"
        own = tiny.settings(TextsOfSplit, split=split)
        encode_texts(folder / "model", entities, mentions, texts, own)
        own = tiny.settings(Encode, split=split)
        encode_split(folder / "model", entities, mentions, sentences, store, own)
        own = tiny.settings(GlobalViews, max_tokens=32)
        encode_global(folder / "model", store, entities, folder / f"{split}-global", own)
    return folder


def rank(corpus, made, folder, kind="signals", **settings):
    """A run's entities and scores by mention, and its manifest."""
    inputs = dict(zip(("entities", "mentions"), corpus, strict=False))
    places = folder / "run.parquet", folder / "run.json"
    own = {**SETTINGS, **settings} if kind == "signals" else settings
    needs = kinds.find(kind).needs(own)
    further = any(isinstance(one, dict) and one["global_view"] for one in own.get("of", []))
    there = {
        "texts": lambda split: made / f"{split}-texts",
        "views": lambda split: [made / f"{split}-store", made / f"{split}-global"][: 1 + further],
        "scores": lambda split: [folder / f"{split}-first.parquet"],
        "store": lambda split: made / f"{split}-store",
        "global_views": lambda split: made / f"{split}-global",
    }
    for need in {*needs} - {*inputs}:
        split = "val" if need.startswith("validation_") else own["split"]
        inputs[need] = there[need.removeprefix("validation_")](split)
    kinds.retrieve(kind, own, *places, **inputs)
    run = by_mention(read_run(places[0]))
    ranked = {name: (t["entity"].to_pylist(), t["score"].to_numpy()) for name, t in run}
    return ranked, read_json(places[1])


def entities_of(ranked):
    return {name: entities for name, (entities, _) in ranked.items()}


def by_hand(corpus, made, of, weights, views=(), runs=()):
    """Every mention's best entities by the sum of the signals, of equal ones the first."""
    mentions = read_mentions(corpus[1], "test").to_pylist()
    entities = read_entities(corpus[0], ["cedar"]).to_pylist()
    own = Catalog(of, made / "test-texts", views, runs).signals("cedar", entities)
    scores = np.stack([one.scores(mentions) for one in own])
    summed = np.tensordot(np.array(weights, dtype=np.float32), scores, axes=1)
    best = np.argsort(-summed, axis=1, kind="stable")[:, :4]
    return {one["mention_id"]: row.tolist() for one, row in zip(mentions, best, strict=True)}


@pytest.mark.parametrize("name", ALL)
def test_one_signal_has_no_weight(corpus, made, tmp_path, name):
    ranked, told = rank(corpus, made, tmp_path, of=[name])
    assert entities_of(ranked) == by_hand(corpus, made, [name], [1])
    assert told["chosen"] is None and told["settings"]["of"] == [name]


def test_validation_chooses_the_weights_of_several(corpus, made, tmp_path):
    ranked, told = rank(corpus, made, tmp_path, of=ALL)
    weights = told["chosen"]["weights"]
    assert entities_of(ranked) == by_hand(corpus, made, ALL, weights)
    tried = {tuple(one["weights"]): one["hits"] for one in told["chosen"]["tried"]}
    assert tried[tuple(weights)] == max(tried.values())
    assert told["chosen"]["mentions"] == 12 and told["chosen"]["cutoff"] == 1
    assert told["chosen"]["of"] == ALL
    # A title, and a title with its text, which two signals share
    assert told["counts"] == {"entities": 12, "views": 24, "bytes": 24 * 32 * 4}


def test_the_own_page_is_left_out_of_the_choice_too(corpus, made, tmp_path):
    # Each mention stands on its gold entity's page, so that nothing is found
    ranked, told = rank(corpus, made, tmp_path, of=["words", "names"], own_page="leave_out")
    assert all(int(name.rpartition("-")[2]) not in own for name, (own, _) in ranked.items())
    assert {one["hits"] for one in told["chosen"]["tried"]} == {0}


@pytest.mark.parametrize("views", [VIEWS, {**VIEWS, "global_view": 0.5}])
def test_a_row_alone_is_ranked_as_its_views_are_by_cosines(corpus, made, tmp_path, views):
    """The model's scale is 16, and the scores of the row itself are products."""
    row, _ = rank(corpus, made, tmp_path, kind="views", **RUN, **views)
    ranked, told = rank(corpus, made, tmp_path, of=[{**views, "cosines": True}])
    assert entities_of(ranked) == entities_of(row)
    for mention, (_, scores) in ranked.items():
        assert scores == pytest.approx(row[mention][1] / 16, rel=1e-4)
    assert told["counts"] == rank(corpus, made, tmp_path, kind="views", **RUN, **views)[1]["counts"]


def test_other_scores_of_a_row_lie_between_0_and_1(corpus, made, tmp_path):
    row, _ = rank(corpus, made, tmp_path, kind="views", **RUN, **VIEWS)
    ranked, _ = rank(corpus, made, tmp_path, of=[{**VIEWS, "cosines": False}], k=12)
    for mention, (entities, scores) in ranked.items():
        assert entities[:4] == row[mention][0]
        assert (scores[0], scores[-1]) == (1, 0)


def test_a_sum_of_a_row_a_run_and_words(corpus, made, tmp_path):
    for split in ("val", "test"):
        rank(corpus, made, tmp_path, of=["names"], split=split)
        (tmp_path / "run.parquet").rename(tmp_path / f"{split}-first.parquet")
    ranked, told = rank(corpus, made, tmp_path, of=[COSINES, "run", "words"])
    of = [ViewsSignal(**COSINES), "run", "words"]
    lie = [made / "test-store"], [tmp_path / "test-first.parquet"]
    assert told["chosen"]["of"] == ["views", "run", "words"]
    assert entities_of(ranked) == by_hand(corpus, made, of, told["chosen"]["weights"], *lie)


def test_rows_of_the_same_views_are_told_apart():
    own = signals.Settings(**SETTINGS, of=[ViewsSignal(**COSINES), ViewsSignal(**COSINES), "words"])
    assert own.names == ["views 1", "views 2", "words"]
