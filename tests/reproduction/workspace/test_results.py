"""Which tables a dataset has, and what their rules and MLflow are told of them."""

import os

import pytest

from muver.io.errors import InputError
from muver.reproduction.settings.naming import method_of
from muver.reproduction.workspace.results import Results, not_recorded
from tests.reproduction.settings import graph


def results(**overrides):
    return Results(graph(**overrides))


def test_worlds_have_all_tables_but_table_2_and_a_knowledge_base_only_that():
    worlds, base = results(), results(preset="miniwikipedia")
    assert {"table1", "table3", "table4", "table6", "figure2", "grid"} <= set(worlds.names)
    assert "table2" not in worlds.names and base.names == ["table2"]


@pytest.mark.parametrize(
    "preset, name, said",
    [
        ("miniwikia", "table2", "preset=miniwikipedia"),
        ("miniwikia", "tabel1", "table1"),
        ("miniwikipedia", "table1", "table2"),
    ],
)
def test_a_table_that_the_dataset_has_not_is_refused_with_what_helps(preset, name, said):
    with pytest.raises(InputError, match=rf"results/{name}\.csv: .*{said}"):
        results(preset=preset).refuse(name)


def test_rows_that_stand_in_another_table_are_recorded_and_drawn_once():
    own = results(results=["table1", "table6", "grid", "figure2"])
    assert own.measured == ["table1", "table6", "grid"]
    assert own.recorded == ["table1", "grid"]
    assert own.drawn == ["table1", "figure2"]
    assert "metrics/miniwikia/table6/muver.json" in own.metrics


def test_a_table_by_category_reads_the_mentions():
    own = results()
    mentions = own.result("linking").read["mentions"]
    assert mentions.endswith("/mentions.parquet") and "mentions" not in own.result("table1").read


def test_a_table_is_compared_against_one_of_its_own_rows():
    own = results(tables={"table1": {"rows": ["bm25", "muver"]}})
    assert [row["system"] for row in own.of_table("table1")["rows"]] == ["bm25", "muver"]
    assert own.of_table("table1")["against"] is None
    assert results().of_table("table1")["against"] == "blink_512"


def test_what_is_recorded_of_a_row_that_is_trained_and_of_one_that_is_not():
    told = results(encoder="scratch", pretrain={"steps": 5}).recording("table1")
    assert set(told["benchmarks"]["bm25"]) == {"retrieve"}
    assert set(told["benchmarks"]["muver"]) == {"retrieve", "encode", "merge", "train"}
    model, encoder = told["artifacts"]["muver"]
    assert model.startswith("build/miniwikia/models/muver-") and encoder.endswith(".jsonl")
    assert "bm25" not in told["artifacts"]


def test_copying_the_chosen_model_is_not_its_training():
    told = results(preset="zeshel").recording("table1")["benchmarks"]
    assert "train" in told["blink_128"] and "train" not in told["partalidou"]


def test_a_sum_costs_what_its_rows_cost():
    """What is not trained costs no training, and each of several has its own file."""
    own = results(tables={"best": {"own_page": "keep", "repeat_seeds": []}})
    told = own.recording("best")
    took = told["benchmarks"]["muver_signals"]
    assert set(took) == {"retrieve", "encode", "encode_texts", "train"}
    assert took["encode"].startswith(f"{own.logs}/encode/test/muver-")
    assert len(told["artifacts"]["muver_signals"]) == 2
    rows = own.costs("best")["settings"]["rows"]
    trainings = {row["method"]: row["trainings"] for row in rows}
    sums = method_of(own.settings, "muver_signals")
    assert trainings[sums] == [took["train"]] == trainings["MuVER"]
    assert trainings["All five, no labels"] == []
    assert own.costed == ["best"]
    seeds = results(tables={"best": {"own_page": "keep", "repeat_seeds": [1, 2]}})
    assert [row["method"] for row in seeds.costs("best")["settings"]["rows"]] == [*trainings]


def test_where_data_come_from(tmp_path):
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "moor.json").touch()
    told = results(dataset=str(tmp_path)).recording("table1")
    assert told["source"] == str(tmp_path)
    assert results(preset="zeshel").recording("table1")["source"].startswith("http")


def test_a_message_of_this_run_is_told_though_the_clock_was_set_back(tmp_path):
    message = tmp_path / "table1.failed"
    message.write_text("the server is down\n")
    before = not_recorded(tmp_path)
    assert not_recorded(tmp_path) == before
    message.write_text("it refuses\n")
    os.utime(message, ns=(0, 10**18))  # years ago
    (told,) = [why for key, why in not_recorded(tmp_path).items() if key not in before]
    assert told == "table1: it refuses"
