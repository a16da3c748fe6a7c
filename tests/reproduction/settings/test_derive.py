"""Rows that follow from others: the sweep over view counts, further seeds."""

from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import model_settings, row_settings
from tests.reproduction.settings import PARAMS


def test_the_sweep_has_a_row_a_layer_and_search_and_muver_s_own_among_them():
    settings = resolve(PARAMS, {"merge": {"layers": 4}})
    assert settings.tables["table3"].rows == [
        "blink_512", "som", "muver_plain",
        "muver_distant_1", "muver_distant_2", "muver_distant_3", "muver",
        "muver_close_1", "muver_close_2", "muver_close_3", "muver_close_4",
        "muver_distant_full_1", "muver_distant_full_2", "muver_distant_full_3",
        "muver_distant_full_4",
        "muver_close_full_1", "muver_close_full_2", "muver_close_full_3", "muver_close_full_4",
    ]  # fmt: skip
    swept = settings.systems["muver_close_2"]
    assert (swept.merge_layers, swept.search, swept.model) == (2, "close", "muver")


def test_further_seeds_train_their_own_models():
    settings = resolve(PARAMS, {"repeat_seeds": [1, 2], "tables": {"table1": ["bm25", "muver"]}})
    assert settings.repeats["table1"] == {"muver": ["muver_seed1", "muver_seed2"]}
    assert model_settings(settings, "muver_seed2")["seed"] == 2
    rows = [row_settings(settings, system) for system in ("muver", "muver_seed1", "muver_seed2")]
    assert [row["seed"] for row in rows] == [10000, 1, 2]
    assert [row["model"]["seed"] for row in rows] == [10000, 1, 2]


def test_a_model_may_have_a_seed_of_its_own():
    settings = resolve(PARAMS, {"models": {"muver": {"seed": 5}}})
    assert row_settings(settings, "muver")["seed"] == 5
    assert row_settings(settings, "blink_128")["seed"] == settings.seed


def test_a_choice_of_another_seed_is_among_models_of_that_seed():
    settings = resolve(PARAMS, {"repeat_seeds": [5], "tables": {"table1": ["partalidou"]}})
    assert settings.models["partalidou_seed5"].best_of == [
        "blink_128_seed5", "blink_cls_seed5", "blink_special_seed5", "blink_span_seed5",
    ]  # fmt: skip


def test_converted_weights_draw_nothing():
    settings = resolve(PARAMS, {"preset": "released", "repeat_seeds": [5]})
    assert settings.repeats["table1"] == {}


def test_a_fused_row_is_repeated_with_what_it_fuses():
    tables = {"table1": ["bm25", "muver_bm25_rrf"]}
    settings = resolve(PARAMS, {"repeat_seeds": [5], "tables": tables})
    assert settings.repeats["table1"] == {"muver_bm25_rrf": ["muver_bm25_rrf_seed5"]}
    fused = settings.systems["muver_bm25_rrf_seed5"]
    assert fused.fuse == ("muver_200_seed5", "bm25_200")
    assert settings.systems["muver_200_seed5"].model == "muver_seed5"


def test_a_sum_is_repeated_with_the_rows_that_it_sums():
    """Where the encoder is not made here, a model without training is the same with every seed."""
    settings = resolve(PARAMS, {"repeat_seeds": [5], "tables": {"table1": ["muver_signals"]}})
    seeded = settings.systems["muver_signals_seed5"]
    assert seeded.of[:2] == ["muver_plain_seed5", "words"] and seeded.model == "untrained"
    assert row_settings(settings, "muver_signals_seed5")["seed"] == 5
    scratch = {"encoder": "scratch", "repeat_seeds": [5], "tables": {"table1": ["untrained"]}}
    assert resolve(PARAMS, scratch).systems["untrained_seed5"].model == "untrained_seed5"


def test_a_sum_leaves_the_own_page_out_of_its_rows_too():
    settings = resolve(PARAMS, {})
    left_out = settings.systems["muver_signals_elsewhere"]
    assert left_out.of[:2] == ["muver_plain_elsewhere", "words"]
    assert left_out.own_page == "leave_out"


def test_a_fusion_names_how_many_candidates_its_parts_keep():
    settings = resolve(PARAMS, {"systems": {"muver_bm25_rrf": {"depth": 300}}})
    assert settings.systems["muver_bm25_rrf"].fuse == ("muver_300", "bm25_300")
    assert settings.systems["bm25_300"].k == 300 and not settings.systems["bm25"].k


MINE = {"caption": "x", "rows": ["bm25", "muver", "muver_bm25_rrf"], "against": "muver"}


def test_a_table_s_protocol_gives_its_rows_without_the_mention_s_own_page():
    """The contrasts of its rows are tested within each protocol."""
    contrasts = {"contrasts": [["muver", "bm25"]]}
    left_out = ["bm25_elsewhere", "muver_elsewhere", "muver_bm25_rrf_elsewhere"]
    for own_page, rows, against in (
        ("keep", MINE["rows"], "muver"),
        ("leave_out", left_out, "muver_elsewhere"),
        (
            "both",
            [one for pair in zip(MINE["rows"], left_out, strict=True) for one in pair],
            "muver",
        ),
    ):
        table = {**MINE, "own_page": own_page}
        settings = resolve(PARAMS, {"tables": {"mine": table}, **contrasts})
        assert settings.tables["mine"].rows == rows
        assert settings.tables["mine"].against == against
        assert ("muver", "bm25") in settings.contrasts
    fused = settings.systems["muver_bm25_rrf_elsewhere"]
    assert fused.fuse == ("muver_200_elsewhere", "bm25_200_elsewhere")
    assert settings.systems["bm25_200_elsewhere"].own_page == "leave_out"
    assert ("muver_elsewhere", "bm25_elsewhere") in settings.contrasts


def test_a_table_s_shares_of_the_labels_train_each_row_again_in_as_many_steps():
    table = {**MINE, "rows": ["bm25", "muver"], "labelled": [0, 0.1, 0.3]}
    given = {"tables": {"mine": table}, "training": {"epochs": 2}}
    settings = resolve(PARAMS, given)
    rows = ["bm25", "muver_labels_0", "muver_labels_0_1", "muver_labels_0_3", "muver"]
    assert settings.tables["mine"].rows == rows
    found = [settings.models[settings.systems[row].model].training for row in rows[1:]]
    assert [(one.labelled, one.epochs) for one in found] == [(0, 2), (0.1, 20), (0.3, 7), (1, 2)]


def test_an_entry_is_like_another_where_it_says_nothing():
    models = {"wide": {"like": "muver", "views": {"max_tokens": 80}, "training": {"epochs": 9}}}
    systems = {"wide": {"like": "muver", "model": "wide"}, "wider": {"like": "wide", "pool": 4}}
    settings = resolve(PARAMS, {"models": models, "systems": systems})
    muver, wide = settings.models["muver"], settings.models["wide"]
    assert (wide.views.max_tokens, wide.views.min_pieces) == (80, muver.views.min_pieces)
    assert wide.training.epochs == 9
    assert wide.training.batch_size == muver.training.batch_size
    assert (settings.systems["wider"].model, settings.systems["wider"].pool) == ("wide", 4)
    assert settings.systems["wider"].merge_layers == 4


def test_of_equal_rows_the_one_that_is_tested_against_stays():
    mine = {"caption": "x", "rows": ["bm25", "muver_max", "muver", "muver_plain"]}
    for against, left in (("muver", "muver"), ("muver_max", "muver_max"), ("bm25", "muver_max")):
        settings = resolve(PARAMS, {"tables": {"mine": {**mine, "against": against}}})
        assert settings.tables["mine"].rows == ["bm25", left, "muver_plain"]
