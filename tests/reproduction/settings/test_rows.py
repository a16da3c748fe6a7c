"""What makes a row, a model and a run: which setting changes which."""

import copy

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.reproduction.settings.naming import method_of, note_of
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import (
    model_settings,
    retrieval_settings,
    row_settings,
    signal_of,
)
from tests.reproduction.settings import PARAMS

COMMON = {"split": "test", "k": 64, "match": "title"}
MUVER = {
    **COMMON,
    "memory_mb": 256,
    "metric": "dot",
    "aggregate": "max",
    "merge_layers": 4,
    "search": "distant",
    "global_view": False,
}
PLAIN = {**MUVER, "merge_layers": 0, "search": None}
SUM = {"aggregate": "softmax_sum", "softmax_candidates": 200, "temperature": 1}


@pytest.fixture
def settings():
    return resolve(PARAMS, {"preset": "miniwikia"})


def test_rows_that_name_no_aggregate_take_the_preset_s():
    for preset, expected in (("miniwikia", MUVER), ("directory", MUVER), ("zeshel", MUVER | SUM)):
        assert retrieval_settings(resolve(PARAMS, {"preset": preset}), "muver") == expected
    by_hand = resolve(PARAMS, {"preset": "miniwikia", "aggregate": "softmax_sum"})
    expected = {**PLAIN, **SUM}
    assert retrieval_settings(by_hand, "muver_plain") == expected
    assert retrieval_settings(by_hand, "blink_128")["aggregate"] == "max"


def test_of_several_values_validation_chooses_among_a_system_each(settings):
    values = [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16]
    several = {"aggregate": "log_mean_exp", "temperature": values, "validation_cutoff": 16}
    assert retrieval_settings(settings, "muver_log_mean_exp") == {**MUVER, **several}
    tried = settings.tried["muver_log_mean_exp"]
    assert tried[2] == "muver_log_mean_exp_temperature_0_25"
    for value, system in zip(values, tried, strict=True):
        made = retrieval_settings(settings, system, "val")
        expected = {"aggregate": "log_mean_exp", "temperature": value, "split": "val"}
        assert made == {**MUVER, **expected}
    one = resolve(PARAMS, {"aggregates": {"log_mean_exp": {"temperature": 0.5}}})
    assert "muver_log_mean_exp" not in one.tried
    assert "validation_cutoff" not in retrieval_settings(one, "muver_log_mean_exp")


def test_seeds_and_sweeps_of_a_row_choose_for_themselves():
    over = {"preset": "miniwikia", "aggregate": "log_mean_exp", "repeat_seeds": [7]}
    settings = resolve(PARAMS, over)
    assert len(settings.tried["muver_seed7"]) == len(settings.tried["muver_close_2"]) == 9
    tried = settings.systems[settings.tried["muver_seed7"][1]]
    assert tried.model == "muver_seed7" and tried.aggregate == "log_mean_exp_temperature_0_125"


def test_a_row_that_is_another_one_of_its_table_is_left_out(settings):
    rows = settings.tables["aggregates"].rows
    assert "muver_max" not in rows and {"muver", "muver_sum"} <= set(rows)
    rows = resolve(PARAMS, {"preset": "zeshel"}).tables["aggregates"].rows
    assert "muver_sum" not in rows and {"muver", "muver_max"} <= set(rows)
    assert settings.tables["table1"].rows == PARAMS["tables"]["table1"]["rows"]


def test_a_sum_has_how_its_rows_are_scored_and_no_name_of_them(settings):
    merged = {"aggregate": "max", "merge_layers": 4, "search": "distant", "global_view": False}
    views = {**merged, "metric": "dot", "cosines": True}
    own = retrieval_settings(settings, "muver_bm25")
    assert own == {**COMMON, "of": [views, "words"]}
    assert retrieval_settings(settings, "muver_linked")["of"] == ["run", views]
    parts = row_settings(settings, "muver_bm25")["parts"]
    assert parts == [row_settings(settings, "muver")]


def test_which_scores_of_a_row_are_cosines(settings):
    """Products of unit vectors, whose aggregate is one of theirs; a choice is known by its run."""
    raw = resolve(PARAMS, {"vectors": "raw"})
    assert not signal_of(raw, "muver")["cosines"]
    assert not signal_of(settings, "plain_l2")["cosines"]
    assert not signal_of(settings, "muver_sum")["cosines"]
    assert signal_of(settings, "plain_8")["pool"] == 8
    assert {signal_of(settings, one) for one in ("som", "bm25", "muver_log_mean_exp")} == {"run"}


def test_a_model_that_names_no_pooling_has_the_encoder_s(settings):
    auto = replace(settings, pooling="auto", encoder="some/encoder")
    named = {model: model_settings(auto, model) for model in ("blink_128", "muver", "muver_l2")}
    assert {own["pooling"] for own in named.values()} == {"auto"}
    assert model_settings(auto, "blink_all")["pooling"] == "all"
    assert model_settings(auto, "som") == model_settings(settings, "som")  # token vectors


def test_a_search_that_says_it_is_as_released_has_the_key_of_one_that_says_nothing(settings):
    before = row_settings(settings, "muver")
    searches = settings.merge.searches
    searches["distant"] = replace(searches["distant"], wasted="kept")
    assert row_settings(settings, "muver") == before
    searches["distant"] = replace(searches["distant"], wasted="replaced")
    assert row_settings(settings, "muver")["merge"] == {**before["merge"], "wasted": "replaced"}


def test_what_equals_a_default_stands_in_no_row(settings):
    """So that a key which is added later, with a default that means what was, moves none."""
    training = model_settings(settings, "muver")["training"]
    assert not {"padding_views", "average_gradients_over", "optimiser", "labelled"} & set(training)
    said = resolve(PARAMS, {"training": {"optimiser": "adamw", "clip_norm": 1.0}})
    assert row_settings(said, "muver") == row_settings(settings, "muver")
    other = resolve(PARAMS, {"training": {"clip_norm": 2.0}})
    assert model_settings(other, "muver")["training"] == {**training, "clip_norm": 2.0}


def test_two_names_of_one_row_have_one_key():
    own = {"mine": {"like": "muver", "method": "Mine"}, "theirs": {"like": "muver_bm25"}}
    settings = resolve(PARAMS, {"systems": own})
    for one, other in (("mine", "muver"), ("theirs", "muver_bm25")):
        assert row_settings(settings, one) == row_settings(settings, other)


MUVERS = {"muver_plain", "muver", "muver_bm25"}
DENSE = {"blink_128", "partalidou", "som", "plain_sum", *MUVERS}
ROWS = DENSE | {"bm25"}


@pytest.fixture(scope="module")
def unchanged():
    settings = resolve(PARAMS, {"preset": "miniwikia"})
    return {row: row_settings(settings, row) for row in ROWS}


@pytest.mark.parametrize(
    "section, value, changed",
    [
        ("seed", 1, ROWS),
        ("corpus", {"context_tokens": 5}, ROWS),
        ("retrieve", {"k": 70}, ROWS),
        ("bm25", {"k1": 1.5}, {"bm25"}),
        ("segment", {"punkt": "english"}, DENSE),
        ("training", {"epochs": 77}, DENSE),
        ("context", {"max_tokens": 61}, DENSE),
        ("compute", {"precision": "bf16"}, DENSE),
        ("compute", {"training_precision": "bf16"}, DENSE),
        ("models", {"som": {"training": {"epochs": 77}}}, {"som"}),
        ("models", {"blink_span": {"pooling": "all"}}, {"partalidou"}),
        ("models", {"muver": {"views": {"max_tokens": 50}}}, {*MUVERS, "plain_sum"}),
        ("merge", {"top_k": 0.5}, {"muver", "muver_bm25"}),
        ("merge", {"layers": 5}, set()),  # a further layer that no row here uses
        ("signals", {"cutoff": 8}, {"muver_bm25"}),
        ("aggregates", {"softmax_sum": {"softmax_candidates": 210}}, {"plain_sum"}),
        ("aggregate", "log_mean_exp", MUVERS),
        # What moves no score, or is known by other means (the data and the encoder by hashes).
        ("retrieve", {"memory_mb": 5}, set()),
        ("compute", {"device": "cpu"}, set()),
        ("dataset", "data/wikis", set()),
        ("encoder", "/somewhere/bert", set()),
        ("download", {"source": "/somewhere/archive"}, set()),
        ("tracking", {"enabled": False}, set()),
    ],
)
def test_a_row_s_settings_change_with_what_makes_it(section, value, changed, unchanged):
    settings = resolve(PARAMS, {"preset": "miniwikia", section: value})
    rows = {row: row_settings(settings, row) for row in ROWS}
    assert {row for row in ROWS if rows[row] != unchanged[row]} == changed
    assert "somewhere" not in str(rows) and "data/wikis" not in str(rows)


def test_a_row_keeps_no_hold_on_the_settings(settings):
    before = copy.deepcopy(settings)
    row_settings(settings, "muver")["merge"]["top_k"] = 9
    retrieval_settings(settings, "muver")["k"] = 9
    assert settings == before


def test_footnotes_are_no_part_of_a_row(settings):
    own = copy.deepcopy(settings)
    for name, system in own.systems.items():
        own.systems[name] = replace(system, note="Something else.")
    for name in settings.tables["table1"].rows:
        assert row_settings(own, name) == row_settings(settings, name)


def test_a_row_chosen_among_models_says_so(settings):
    said = "The best on validation of 4 models{}; other rows are one model."
    chosen = said.format(" after 25% of their steps")
    assert note_of(settings, "partalidou").startswith(f"{chosen} ")
    settings.models["partalidou"] = replace(settings.models["partalidou"], note=UNSET)
    assert note_of(settings, "partalidou") == chosen
    to_the_end = note_of(resolve(PARAMS, {"preset": "zeshel"}), "partalidou")
    assert to_the_end.startswith(said.format(""))


def test_a_row_says_how_it_scores_several_views(settings):
    assert "best view's" in note_of(settings, "muver") == note_of(settings, "muver_plain")
    assert "softmax" in note_of(settings, "muver_sum")
    released = resolve(PARAMS, {"preset": "zeshel"})
    assert note_of(released, "muver") == note_of(settings, "muver_sum")
    assert "view" not in note_of(settings, "blink_128")
    assert note_of(settings, "added_elsewhere").endswith("its global view's is added, times 0.2.")
    assert note_of(settings, "muver_global") == note_of(settings, "muver_plain")
    near = resolve(PARAMS, {"models": {"cross": {"decay": 0.1}}})
    assert "weigh exp(-d/0.1) at d pieces from the mention." in note_of(near, "bm25_reranked")


SECOND = {"method": "x", "retriever": "rerank", "model": "cross"}
FIRST = {"method": "x", "retriever": "bm25", "match": "id", "own_page": "leave_out", "k": 200}


def test_a_second_stage_of_a_second_stage_ranks_what_the_first_one_does():
    chain = {"a": FIRST, "b": {**SECOND, "from": "a"}, "c": {**SECOND, "from": "b"}}
    settings = resolve(PARAMS, {"systems": chain})
    for system in chain:
        made = retrieval_settings(settings, system)
        assert (made["match"], made["own_page"], made["k"]) == ("id", "leave_out", 200)


@pytest.mark.parametrize(
    "first, more, said",
    [
        ({"match": "id"}, {"fuse": ["b", "muver"]}, "matches by title, its part b by id"),
        ({"own_page": "leave_out"}, {"fuse": ["b", "muver"]}, "its parts differ in own_page"),
        ({"k": 10}, {"fuse": ["muver", "bm25"]}, "goes up to 64, but b keeps only 10"),
    ],
)
def test_what_a_second_stage_has_of_the_first_is_looked_at(first, more, said):
    own = {"a": {"method": "x", "retriever": "bm25", **first}, "b": {**SECOND, "from": "a"}}
    own["fused"] = {"method": "x", **more}
    table = {"caption": "x", "rows": ["b", "fused"]}
    with pytest.raises(InputError, match=said):
        resolve(PARAMS, {"systems": own, "tables": {"mine": table}})


@pytest.mark.parametrize("row", ["blink_128", "plain", "fused"])
def test_a_model_s_own_seed_is_no_further_one(row):
    own = {"plain": {"method": "x", "model": "blink_128", "aggregate": "max", "k": 70}}
    own["fused"] = {"method": "x", "fuse": ["plain", "bm25"]}
    table = {"caption": "x", "rows": ["bm25", row], "repeat_seeds": [5, 6]}
    given = {"systems": own, "tables": {"mine": table}, "models": {"blink_128": {"seed": 5}}}
    with pytest.raises(InputError, match=r"mine.repeat_seeds holds 5, which is models.blink_128.s"):
        resolve(PARAMS, given)
    resolve(PARAMS, {**given, "models": {"blink_128": {"seed": 4}}})


def test_a_fused_row_has_the_seed_of_its_parts():
    fused = {"method": "x", "fuse": ["bm25", "blink_128"]}
    table = {"caption": "x", "rows": ["fused"], "repeat_seeds": [7]}
    settings = resolve(PARAMS, {"systems": {"fused": fused}, "tables": {"mine": table}})
    seeds = [row_settings(settings, row)["seed"] for row in ("fused", "fused_seed7")]
    assert seeds == [settings.seed, 7]


PLAINLY = "MuVER (w/o heuristic search)"


@pytest.mark.parametrize(
    "system, name",
    [
        ("muver_plain", PLAINLY),
        ("muver_close_2", "MuVER"),
        ("bm25_elsewhere", "BM25, own page left out"),
        ("plain_own_elsewhere", f"{PLAINLY}, own-page negatives, own page left out"),
        ("som_8", "SOM, 8 pooled vectors"),
        ("added_elsewhere", f"{PLAINLY}, 0.2 of the global view added, own page left out"),
        ("whole", "MuVER, trained with global views, global view"),
        ("blink_128_labels_0_1", "BLINK (128 tokens), 10% of the labels"),
        ("som_labels_0", "SOM, no labels"),
        ("muver_bm25_elsewhere", "MuVER + words, own page left out"),
        ("muver_reranked_16", "MuVER, 16 reranked"),
        ("plain_l2", "L2 distance"),
    ],
)
def test_a_row_is_named_by_what_it_is(settings, system, name):
    assert method_of(settings, system) == name


def test_swept_layers_and_seeds_have_the_row_s_note():
    settings = resolve(PARAMS, {"repeat_seeds": [7]})
    for derived, row in (("muver_close_2", "muver"), ("som_seed7", "som")):
        assert note_of(settings, derived) == note_of(settings, row) is not None
    chosen = note_of(settings, "partalidou_seed7")
    assert chosen == note_of(settings, "partalidou") and "of 4 models" in chosen
