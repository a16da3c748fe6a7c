"""Rows that need no training: what a sum of signals ranks, and the weights that it chooses."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.schema import read_entities, read_mentions
from muver.retriever.encoders.settings import Machine
from muver.retriever.encoders.stages import Encoder
from muver.retriever.retrieval import kinds
from muver.retriever.retrieval.kinds import signals
from muver.retriever.retrieval.signals.catalog import signals_of
from muver.retriever.retrieval.signals.texts import reader
from muver.retriever.runs.run import by_mention, read_run
from tests import tiny

SETTINGS = {"split": "test", "k": 4, "match": "title", "cutoff": 1}
ALL = ["words", "characters", "names", "names_text", "context"]


@pytest.fixture(scope="module")
def model(encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("untrained") / "model"
    tiny.make_model(encoder).save_pretrained(folder)
    return folder


def rank(corpus, model, folder, **settings):
    inputs = dict(zip(("entities", "mentions"), corpus, strict=False)) | {"model": model}
    places = folder / "run.parquet", folder / "run.json"
    kinds.retrieve(
        "signals", {**SETTINGS, **settings}, *places, **inputs, compute=tiny.settings(Machine)
    )
    ranked = {name: table["entity"].to_pylist() for name, table in by_mention(read_run(places[0]))}
    return ranked, read_json(places[1])


def by_hand(corpus, model, names, weights):
    """Every mention's best entities by the sum of the signals, of equal ones the first."""
    mentions = read_mentions(corpus[1], "test").to_pylist()
    entities = read_entities(corpus[0], ["cedar"]).to_pylist()
    encode = reader(Encoder(model, tiny.settings(Machine)))
    own = [one.scores(mentions) for one in signals_of(names, entities, encode)]
    scores = np.tensordot(np.array(weights, dtype=np.float32), np.stack(own), axes=1)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :4]
    return {one["mention_id"]: row.tolist() for one, row in zip(mentions, best, strict=True)}


@pytest.mark.parametrize("name", ALL)
def test_one_signal_has_no_weight(corpus, model, tmp_path, name):
    ranked, made = rank(corpus, model, tmp_path, of=[name])
    assert ranked == by_hand(corpus, model, [name], [1])
    assert made["chosen"] is None and made["settings"]["of"] == [name]


def test_validation_chooses_the_weights_of_several(corpus, model, tmp_path):
    ranked, made = rank(corpus, model, tmp_path, of=ALL)
    weights = made["chosen"]["weights"]
    assert ranked == by_hand(corpus, model, ALL, weights)
    tried = {tuple(one["weights"]): one["hits"] for one in made["chosen"]["tried"]}
    assert tried[tuple(weights)] == max(tried.values())
    assert made["chosen"]["mentions"] == 12 and made["chosen"]["cutoff"] == 1


def test_blocks_of_mentions_make_one_run(corpus, model, tmp_path, monkeypatch):
    whole = rank(corpus, model, tmp_path, of=["words", "names"])[0]
    monkeypatch.setattr(signals, "SCORES_HELD", 60)  # two mentions of twelve entities
    assert rank(corpus, model, tmp_path, of=["words", "names"])[0] == whole


def test_the_own_page_is_left_out_of_the_choice_too(corpus, model, tmp_path):
    # Each mention stands on its gold entity's page, so that nothing is found
    ranked, made = rank(corpus, model, tmp_path, of=["words", "names"], own_page="leave_out")
    assert all(int(name.rpartition("-")[2]) not in own for name, own in ranked.items())
    assert {one["hits"] for one in made["chosen"]["tried"]} == {0}


def test_a_signal_that_is_not_there(corpus, model, tmp_path):
    with pytest.raises(InputError, match="of"):
        rank(corpus, model, tmp_path, of=["letters"])
