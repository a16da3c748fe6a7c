"""The second stage: whose candidates, in which order, and what is left of the first stage."""

import numpy as np
import pyarrow as pa
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.retrieval import kinds
from muver.retriever.retrieval.kinds.rerank import reordered
from muver.retriever.runs.run import by_mention, read_run
from muver.retriever.views.worlds import load_worlds
from tests import tiny
from tests.retriever.encoders.test_cross import make_cross
from tests.runs import write_run

SETTINGS = {"split": "test", "k": 6, "match": "title", "depth": 4}
FIRST = [7, 3, 11, 0, 5, 2]  # the first stage's candidates of every mention


def rerank(encoder, corpus, folder, mentions=12, **settings):
    make_cross(encoder).save_pretrained(folder / "model")
    rows = [
        (f"test-cedar-{mention}", "cedar", rank, entity, f"title {entity}", 0, *[entity] * 3)
        for mention in range(mentions)
        for rank, entity in enumerate(FIRST, start=1)
    ]
    write_run(folder / "first.parquet", rows)
    inputs = dict(zip(("entities", "mentions", "sentences"), corpus, strict=True))
    inputs |= {"model": folder / "model", "runs": [folder / "first.parquet"]}
    places = folder / "run.parquet", folder / "run.json"
    given = {**SETTINGS, **settings}
    kinds.retrieve("rerank", given, *places, **inputs, compute=tiny.settings(Machine))
    return read_run(places[0])


def test_the_first_candidates_are_in_the_order_of_their_scores(encoder, corpus, tmp_path):
    found = rerank(encoder, corpus, tmp_path)
    model = CrossEncoder.from_pretrained(tmp_path / "model").eval()
    (world,) = load_worlds(*corpus, "test", model.config, model.pieces)
    for (mention, table), context in zip(by_mention(found), world.contexts, strict=True):
        views = [world.views[entity][0].ids for entity in FIRST[:4]]
        (scores,) = model.scores([model.pairs(context, views)], 200)
        order = [FIRST[n] for n in np.argsort(-scores)]
        assert table["entity"].to_pylist() == [*order, 5, 2], mention
        np.testing.assert_allclose(table["score"][:4], sorted(scores, reverse=True), atol=1e-6)
        # The others follow, each a step below; a candidate keeps its title and its view.
        np.testing.assert_allclose(table["score"][4:], scores.min() - [1, 2], atol=1e-6)
        assert table["first"].to_pylist() == table["entity"].to_pylist()
        assert table["title"].to_pylist() == [f"title {n}" for n in table["entity"].to_pylist()]
    assert read_json(tmp_path / "run.json")["settings"]["depth"] == 4


def test_of_equal_scores_the_first_stage_s_order_decides():
    table = pa.table({"rank": range(1, 41), "score": [0.0] * 40, "entity": range(40)})
    found = reordered(table, np.repeat([1, 2], 20))["entity"].to_pylist()
    assert found == [*range(20, 40), *range(20)]


def test_fewer_candidates_than_the_depth(encoder, corpus, tmp_path):
    found = rerank(encoder, corpus, tmp_path, k=3, depth=64)
    assert found.num_rows == 12 * 3 and set(found["entity"].to_pylist()) == {7, 3, 11}


def test_a_run_of_other_mentions_is_refused(encoder, corpus, tmp_path):
    with pytest.raises(InputError, match="has no candidates of mention 'test-cedar-11'"):
        rerank(encoder, corpus, tmp_path, mentions=11)
