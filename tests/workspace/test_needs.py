"""What a table needs: no more models, stores and runs than its rows."""

from pathlib import Path

import pytest
import yaml

from muver.settings import resolve
from muver.workspace import needs_of

PARAMS = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text(encoding="utf-8"))


def needs(*results, **tables):
    return needs_of(resolve(PARAMS, {"tables": tables}), results)


def test_a_lexical_row_needs_its_run_alone():
    found = needs("table1", table1=["bm25"])
    assert found.runs == [("bm25", "test")]
    assert (found.models, found.stores, found.merged) == ([], [], [])


def test_two_rows_of_one_model_share_it():
    found = needs("table1", table1=["muver_plain", "muver", "som"])
    assert found.models == ["muver", "som"]
    assert found.stores == [("muver", "test")]  # token vectors are never stored
    assert found.merged == [("muver", "test", "distant")]


def test_the_sweep_needs_its_searches_and_no_further_model():
    found = needs("table3", table3=["muver"])
    assert found.models == ["muver"]
    searches = ("distant", "close", "distant_full", "close_full")
    assert found.merged == [("muver", "test", search) for search in searches]
    assert len(found.systems) == 16


def test_a_weight_is_chosen_on_validation_runs():
    found = needs("beyond", beyond=["muver_bm25"])
    assert found.systems == ["muver_bm25"]
    assert set(found.runs) == {
        ("muver_200", "test"), ("bm25_200", "test"), ("muver_200", "val"), ("bm25_200", "val"),
        ("muver_bm25", "test"),
    }  # fmt: skip
    assert found.stores == [("muver", "test"), ("muver", "val")]


def test_reciprocal_ranks_need_no_validation():
    found = needs("beyond", beyond=["muver_bm25_rrf"])
    assert {split for _, split in found.runs} == {"test"}


def test_views_of_other_kinds():
    found = needs("beyond", beyond=["muver_global", "muver_spans"])
    assert found.globals == found.spans == [("muver", "test")]


def test_a_choice_needs_all_it_chooses_among():
    found = needs("table1", table1=["partalidou"])
    assert found.models == ["blink_128", "blink_special", "blink_span", "blink_all", "partalidou"]
    assert found.stores == [("partalidou", "test")]


def test_a_figure_needs_its_two_rows():
    assert needs("figure2").systems == ["blink_128", "muver"]


@pytest.mark.parametrize("result", ["table4", "table5", "grid"])
def test_results_without_rows(result):
    assert needs(result).systems == []
