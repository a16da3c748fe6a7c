"""Measures merging: one pass of four layers, and the whole sweep of Table 3."""

from functools import partial

import numpy as np
import torch

from benchmarks import baseline, flops
from benchmarks.context import Context
from benchmarks.encoding import compare
from benchmarks.ours import Tower
from benchmarks.rows import Findings, Row
from benchmarks.sweep import LAYERS, SETTINGS, Sweep
from benchmarks.timing import in_turn
from muver.views.expand import NewViews

REACH = {"fp32": 3.0, "bf16": 4.0, "int8": None}  # over the baseline, which is in fp32


def run(context: Context) -> Findings:
    """Rows of the pass and of the sweep, and whether both sides made the same views."""
    findings = Findings()
    sweep = context.sweep
    new = [ids for layer in sweep.merged["distant"] for ids in (view.ids for view in layer.views)]
    plain, ours = sweep.plain_merging["distant", LAYERS], sweep.ours_merging["distant"]
    tokens = sum(map(len, new)) / max(len(new), 1)
    findings.rows.append(
        Row(
            "merging",
            "one pass of 4 layers, distant, fp32",
            "merged views/s",
            len(new) / plain,
            len(new) / ours,
            plain / ours,
            REACH["fp32"],
            remark=f"{len(new)} merged views of {len(sweep.entities)} entities, {tokens:.1f} "
            "tokens each; encoding of the original views not counted on either side",
        )
    )
    work = 1e-9 * flops.forward(context.case.config, [len(ids) for ids in new])
    findings.rows.append(
        context.share_of_peak("merging", "one pass of 4 layers", "fp32", work, ours)
    )
    findings.add(_lower_precisions(context, len(new)))
    findings.rows += _sweep_rows(sweep)
    for pairs in ("distant", "close"):
        _check(findings, pairs, sweep)
    findings.agree(
        *compare(
            "vectors of the original views",
            sweep.originals,
            torch.cat(sweep.expected_originals).numpy(),
        )
    )
    return findings


def _lower_precisions(context: Context, views: int) -> Findings:
    """The pass in precisions below fp32, from the same vectors of the original views."""
    findings = Findings()
    options, sweep = context.options, context.sweep
    plain, entities = sweep.plain_merging["distant", LAYERS], range(len(sweep.entities))
    expected = [_of_entity(sweep.merged["distant"], entity)[0] for entity in entities]
    for precision in (name for name in options.precisions if name != "fp32"):
        tower = Tower(context.case, options.device, precision, options.batch_tokens)
        merge = partial(tower.merge, sweep.entities, sweep.originals, LAYERS, "distant")
        seconds, merged = in_turn({"": merge}, options.repetitions)[""]
        findings.rows.append(
            Row(
                "merging",
                f"one pass of 4 layers, distant, {precision}",
                "merged views/s",
                views / plain,
                views / seconds,
                plain / seconds,
                REACH[precision],
                remark="the baseline in fp32",
            )
        )
        same = sum(_of_entity(merged, entity)[0] == expected[entity] for entity in entities)
        findings.agreements.append(
            f"distant, {precision}: the same views merged as in fp32 for {same} of "
            f"{len(expected)} entities"
        )
    return findings


def _sweep_rows(sweep: Sweep) -> list[Row]:
    plain = sum(sweep.plain.values())
    per_entity = len(sweep.entities)
    rows = [
        Row(
            "sweep",
            f"all {len(SETTINGS)} settings: no merging, 1 to 4 layers distant and close",
            "entities/s",
            per_entity / plain,
            per_entity / sweep.ours,
            plain / sweep.ours,
            remark="encoding and merging; ranking is in the end to end",
        )
    ]
    for name, taken in (("distant", ["distant"]), ("close", ["close"]), ("both", None)):
        passes = sweep.ours_merging if taken is None else {p: sweep.ours_merging[p] for p in taken}
        whole = sweep.ours_encoding + sum(passes.values())
        dearest = sweep.ours_encoding + max(passes.values())
        rows.append(
            Row(
                "sweep",
                f"{name}: the whole sweep over our most expensive setting alone",
                "s",
                None,
                whole,
                whole / dearest,
                1.3,
                at_most=True,
                remark=f"that setting takes {dearest:.2f} s; one pass gives all its layers",
            )
        )
    return rows


def _check(findings: Findings, pairs: str, sweep: Sweep) -> None:
    """Compare spans and vectors of an entity's new views, layer by layer."""
    expected = sweep.expected[pairs]
    equal, ours, theirs, views = 0, [], [], 0
    for entity, one in enumerate(expected):
        spans, vectors = _of_entity(sweep.merged[pairs], entity)
        views += sum(map(len, one.spans))
        if spans == one.spans:
            equal += 1
            ours.append(vectors)
            theirs.append(_stacked(one))
    what = f"{pairs}: the same views merged for {equal} of {len(expected)} entities, {views} views"
    # The baseline's sort is not stable: views of equal sentences may tie.
    ties = sum(_has_twins(views) for views in sweep.entities)
    if ties:
        what += f" ({ties} entities have equal views, where the baseline's sort may go either way)"
    findings.agree(len(expected) - equal <= ties, what)
    if ours:
        findings.agree(
            *compare(f"{pairs}: vectors of merged views", np.concatenate(ours), np.vstack(theirs))
        )


def _of_entity(
    layers: list[NewViews], entity: int
) -> tuple[list[list[tuple[int, int]]], np.ndarray]:
    """Spans of an entity's new views by layer, and their vectors."""
    spans, vectors = [], []
    for layer in layers:
        own = np.flatnonzero(np.asarray(layer.entities) == entity)
        spans.append([(layer.views[row].first, layer.views[row].last) for row in own])
        vectors.append(layer.vectors[own])
    return spans, np.concatenate(vectors)


def _stacked(merged: baseline.Merged) -> np.ndarray:
    return torch.cat(merged.vectors).numpy()


def _has_twins(views: list[list[int]]) -> bool:
    return len({tuple(ids) for ids in views}) < len(views)
