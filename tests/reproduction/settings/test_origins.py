"""Models that start from a model and have another's run for negatives: settings, key, mistakes."""

import pytest

from muver.io.errors import InputError
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import model_settings, negatives_settings, row_settings
from tests.reproduction.settings import PARAMS

BLINK = {
    "views": {"kind": "prefix", "max_tokens": 128},
    "score": "max",
    "context": {"max_tokens": 32},
}
WIKI = {
    "views": {
        "kind": "sentences", "max_tokens": 40, "min_pieces": 1, "title_room": 6,
        "training_views": 5,
    },
    "score": "max",
    "start": "blink_wiki",
    "negatives": {"from": "blink_wiki", "count": 3},
    "training": {"batch_size": 8, "epochs": 1},
}  # fmt: skip
SYSTEMS = {name: {"method": name, "model": name, "aggregate": "max"}
           for name in ("blink_wiki", "muver_wiki")}  # fmt: skip


def resolved(blink=(), wiki=(), **more):
    models = {"blink_wiki": {**BLINK, **dict(blink)}, "muver_wiki": {**WIKI, **dict(wiki)}}
    return resolve(PARAMS, {"preset": "zeshel", "models": models, "systems": SYSTEMS, **more})


def test_a_model_is_made_of_its_start_and_of_its_negatives():
    settings = resolved()
    blink, wiki = (model_settings(settings, name) for name in ("blink_wiki", "muver_wiki"))
    assert blink["context"] == {"max_tokens": 32} and wiki["context"] == {"max_tokens": 128}
    assert not {"start", "negatives"} & set(blink)
    assert wiki["start"] == blink
    assert wiki["negatives"] == {"per_mention": 3, "run": row_settings(settings, "blink_wiki")}
    assert (wiki["training"]["batch_size"], wiki["training"]["epochs"]) == (8, 1)
    assert wiki["training"]["learning_rate"] == settings.training.learning_rate
    assert negatives_settings(settings, "muver_wiki") == {"per_mention": 3}


@pytest.mark.parametrize(
    "blink, wiki, changed",
    [
        ({"context": {"max_tokens": 64}}, {}, {"blink_wiki", "muver_wiki"}),
        ({"training": {"epochs": 3}}, {}, {"blink_wiki", "muver_wiki"}),
        ({}, {"context": {"max_tokens": 64}}, {"muver_wiki"}),
        ({}, {"negatives": {"from": "blink_wiki", "count": 2}}, {"muver_wiki"}),
        ({}, {"negatives": {"from": "blink_128", "count": 3}}, {"muver_wiki"}),
        ({}, {"negatives": {**WIKI["negatives"], "ranks": [2, 50]}}, {"muver_wiki"}),
        ({}, {"start": "blink_128"}, {"muver_wiki"}),
        ({}, {}, set()),
    ],
)
def test_a_row_s_key_changes_with_what_its_model_is_made_of(blink, wiki, changed):
    before, after = resolved(), resolved(blink, wiki)
    assert {s for s in SYSTEMS if row_settings(before, s) != row_settings(after, s)} == changed


@pytest.mark.parametrize("row", ["bm25", "muver", "muver_bm25", "som"])
def test_a_model_over_worlds_may_have_the_negatives_of_any_row(row):
    """All that makes that row is in the key."""
    negatives = {"from": row, "count": 4, "ranks": [2, 50], "random": 0.5}
    settings = resolve(PARAMS, {"models": {"muver_longer": {"negatives": negatives}}})
    assert model_settings(settings, "muver_longer")["negatives"] == {
        "per_mention": 4, "ranks": [2, 50], "random": 0.5, "seed": settings.seed,
        "run": row_settings(settings, row),
    }  # fmt: skip


def test_a_further_seed_trains_again_what_a_model_starts_and_learns_from():
    settings = resolved(repeat_seeds=[7], tables={"table1": ["muver_wiki"]})
    other = model_settings(settings, "muver_wiki_seed7")
    made_of = (other, other["start"], other["negatives"]["run"])
    assert [one["seed"] for one in made_of] == [7, 7, 7]
    system = settings.models["muver_wiki_seed7"].negatives.from_
    assert settings.systems[system].model == "blink_wiki_seed7"


def test_a_row_over_a_knowledge_base_has_the_seed_of_its_model():
    again = {"table2": {"rows": ["muver_wiki"], "repeat_seeds": [7]}}
    settings = resolve(PARAMS, {"preset": "miniwikipedia", "tables": again})
    seeds = [row_settings(settings, f"muver_wiki{end}")["seed"] for end in ("", "_seed7")]
    assert seeds == [settings.seed, 7]


@pytest.mark.parametrize(
    "blink, wiki, message",
    [
        ({}, {"start": "blink_wikis"}, "models.muver_wiki.start is 'blink_wikis'. Did you mean"),
        ({"start": "muver_wiki"}, {}, "is made of itself .*models.blink_wiki"),
        ({}, {"start": "muver_wiki"}, "muver_wiki: is made of itself"),
        ({"checkpoint": "x.bin", "start": "muver"}, {}, "unknown key models.blink_wiki.start"),
        (
            {"checkpoint": "x.bin", "negatives": WIKI["negatives"]},
            {"start": "muver", "negatives": {"from": "muver", "count": 1}},
            "unknown key models.blink_wiki.negatives",
        ),
        ({}, {"negatives": {"from": "blink_wiki", "count": 0}}, "negatives.count is 0"),
        ({}, {"negatives": {**WIKI["negatives"], "rank": 1}}, "unknown key .*negatives.rank"),
        ({"context": {"tokens": 9}}, {}, "unknown key models.blink_wiki.context.tokens"),
    ],
)
def test_mistakes_are_named(blink, wiki, message):
    with pytest.raises(InputError, match=message):
        resolved(blink, wiki)


@pytest.mark.parametrize(
    "models, message",
    [
        ({"partalidou": {"start": "muver"}}, "unknown key models.partalidou.start"),
        (
            {"partalidou": {"after": 0.5}, "blink_span": {"start": "muver"}},
            "best_of: after is for models that start from the encoder",
        ),
        # What a model is chosen among may not start from the choice.
        ({"blink_span": {"start": "partalidou"}}, "is made of itself .*partalidou"),
    ],
)
def test_a_choice_and_what_it_is_made_of(models, message):
    with pytest.raises(InputError, match=message):
        resolve(PARAMS, {"preset": "zeshel", "models": models})


def test_converted_weights_may_have_a_context_of_their_own():
    settings = resolved({"checkpoint": "x.bin"})
    assert model_settings(settings, "blink_wiki") == {
        "views": BLINK["views"], "score": "max", "pooling": "cls",
        "context": {"max_tokens": 32},
    }  # fmt: skip
