"""The yardstick by hand, and that it does the same as our side."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from benchmarks import baseline, encoding, end_to_end, merging, ranking, training
from benchmarks.context import Context
from benchmarks.data import Case, made
from benchmarks.options import Options
from benchmarks.ours import Tower
from benchmarks.ranking import beside_max, by_tokens, compare_lists, made_world, time_both
from benchmarks.rows import Findings
from benchmarks.sweep import Sweep, measure
from muver.retriever.retrieval.aggregates import AGGREGATES

OPTIONS = Options("cpu", 1, ("fp32", "bf16"), 2, 32, 3, 3, 512, 1)


@cache
def case() -> Case:
    return made(OPTIONS.layers, OPTIONS.hidden)


@pytest.fixture(scope="module")
def sweep() -> Sweep:
    return measure(case(), OPTIONS)


def test_walk_stops_at_the_last_new_title_and_keeps_its_best_view():
    views = torch.tensor([[1.0], [3.0], [2.0], [0.5]])
    walk = baseline.rank_mentions(torch.tensor([[2.0]]), views, ["a", "b", "b", "c"], False)[0]
    assert walk.titles == ["b", "a", "c"]
    assert walk.values == [6.0, 2.0, 1.0]


def test_probabilities_of_a_title_are_summed():
    views = torch.log(torch.tensor([[3.0], [2.0], [2.0], [1.0]]))
    walk = baseline.rank_mentions(torch.tensor([[1.0]]), views, ["a", "b", "b", "c"], True)[0]
    assert walk.titles == ["b", "a", "c"]
    assert walk.values == pytest.approx([4 / 8, 3 / 8, 1 / 8])


def test_views_of_the_walk_below_its_last_title_are_not_summed(monkeypatch):
    monkeypatch.setattr(baseline, "SUMMED", 2)
    views = torch.log(torch.tensor([[4.0], [3.0], [2.0], [1.0]]))
    walk = baseline.rank_mentions(torch.tensor([[1.0]]), views, ["a", "b", "a", "b"], True)[0]
    assert walk.titles == ["a", "b"]
    assert walk.values == pytest.approx([0.4, 0.3])


def test_union_keeps_one_title():
    views = [[101, 7, 3, 11, 102], [101, 7, 3, 12, 13, 102], [101, 7, 102]]
    assert baseline._union(views, 0, 2, baseline.Marks()) == [101, 7, 3, 11, 12, 13, 102]


def test_vectors_are_ours():
    entities = case().sample(3)
    model = baseline.library_model(case().model.entity_encoder, "cpu")
    expected = torch.cat([baseline.encode_entity(model, views) for views in entities]).numpy()
    ours = Tower(case(), "cpu", "fp32", 512).views([ids for views in entities for ids in views])
    same, line = encoding.compare("vectors", ours, expected)
    assert same, line
    assert not encoding.compare("vectors", ours[::-1], expected)[0]


def test_the_same_views_are_merged(sweep):
    findings = Findings()
    for pairs in ("distant", "close"):
        merging._check(findings, pairs, sweep)
    assert findings.differences == []
    assert len(findings.agreements) == 4
    assert sum(len(layer.views) for layer in sweep.ours["fp32"].merged["distant"]) > 10


def test_other_merged_views_are_told(sweep):
    findings = Findings()
    ours = sweep.ours["fp32"]
    swapped = replace(ours, merged={"distant": ours.merged["close"]})
    merging._check(findings, "distant", replace(sweep, ours={"fp32": swapped}))
    assert "the same views merged for 0 of" in findings.differences[0]


def test_a_lower_precision_has_rows_of_its_own(sweep):
    context = Context(OPTIONS)
    context.case, context.sweep = case(), sweep
    whole = [row for row in end_to_end.run(context).rows if row.what.startswith("Table 1")]
    assert [row.what.rpartition(", ")[2] for row in whole] == ["fp32", "bf16"]
    assert whole[0].baseline == whole[1].baseline and whole[0].ours != whole[1].ours
    assert "bf16: the same views merged as in fp32 for" in merging._as_in_fp32("bf16", sweep)


@pytest.mark.parametrize("aggregate", ["max", "softmax_sum"])
def test_lists_are_ours(aggregate):
    world = made_world(1000, 8, 16)
    timed = time_both(world, aggregate, 1)
    same, line = compare_lists("lists", world, timed)
    assert same and "8 of 8 lists identical" in line, line


def test_every_aggregate_is_timed_beside_the_maximum():
    rows = beside_max(1000, 16, 1)
    assert [row.what for row in rows] == [f"{name}, 1,000 views" for name in AGGREGATES]
    assert rows[0].ratio == 1 and all(row.ratio > 0 for row in rows)


def test_token_vectors_are_timed_in_both_precisions(monkeypatch):
    monkeypatch.setattr(ranking, "MENTIONS", 8)
    row = by_tokens(8, 1)
    assert row.baseline > 0 and row.ours > 0 and "in fp32" in row.remark


def test_other_lists_are_told():
    world = made_world(1000, 8, 16)
    timed = time_both(world, "max", 1)
    walks = timed["baseline"].result
    walks[0] = baseline.Walk(walks[0].titles[::-1], walks[0].values[::-1])
    same, line = compare_lists("lists", world, timed)
    assert not same and "1 different" in line


def test_loss_and_gradients_are_ours():
    findings = Findings()
    batch = training.Batch(case(), 6)
    ours = training.Ours(case(), "cpu", "fp32", 1)
    plain = training.Plain(case().model.mention_encoder, case().model.entity_encoder, "cpu")
    training._check(findings, ours, plain, batch)
    case().model.eval()
    assert findings.differences == []
    assert len(findings.agreements) == 2


def test_empty_rows_take_part_as_released(monkeypatch):
    """Real views score -1, -2 and -3 for every mention; an empty row scores 0 and wins."""
    vectors = {40: lambda ids: -ids[:, 1:2].float(), 128: lambda ids: torch.ones(len(ids), 1)}
    monkeypatch.setattr(baseline, "vectors_of", lambda _, ids: vectors[ids.shape[1]](ids))
    views = [[[101, number, 102]] for number in (1, 2, 3)]
    contexts = [[101, 102]] * 3
    released = baseline.batch_loss(None, None, contexts, views, 10)
    assert released == pytest.approx(np.log(3))
    left_out = baseline.batch_loss(None, None, contexts, views, 10, empty_take_part=False)
    assert left_out == pytest.approx(np.log(1 + np.exp(-1) + np.exp(-2)) + 1)
