"""Measures merging: one pass of four layers, and the whole sweep of Table 3."""

import numpy as np
import torch

from benchmarks import baseline, flops
from benchmarks.context import Context
from benchmarks.encoding import compare
from benchmarks.rows import Findings, Row, spread
from benchmarks.sweep import LAYERS, SETTINGS, Sweep
from muver.retriever.views.merging import NewViews


def run(context: Context) -> Findings:
    """Rows of the pass and of the sweep, and whether both sides made the same views."""
    findings = Findings()
    sweep = context.sweep
    views = [view.ids for layer in sweep.ours["fp32"].merged["distant"] for view in layer.views]
    work = 1e-9 * flops.forward(context.case.config, [len(ids) for ids in views])
    tokens = sum(map(len, views)) / max(len(views), 1)
    plain = sweep.plain_merging["distant", LAYERS]
    for precision, ours in sweep.ours.items():
        seconds = ours.merging["distant"]
        findings.rows.append(
            Row.compared(
                "merging",
                f"one pass of 4 layers, distant, {precision}",
                "merged views/s",
                plain,
                seconds,
                len(views),
                f"{len(views)} merged views of {len(sweep.entities)} entities, "
                f"{tokens:.1f} tokens each; encoding of the original views not counted on "
                "either side; the baseline in fp32",
            )
        )
        if precision == "fp32":
            findings.rows.append(
                context.share_of_peak(
                    "merging", "one pass of 4 layers", "fp32", work, np.median(seconds)
                )
            )
        else:
            findings.agreements.append(_as_in_fp32(precision, sweep))
    findings.rows += _sweep_rows(sweep)
    for pairs in ("distant", "close"):
        _check(findings, pairs, sweep)
    findings.agree(
        *compare(
            "vectors of the original views",
            sweep.ours["fp32"].originals,
            torch.cat(sweep.plain_originals).numpy(),
        )
    )
    return findings


def _as_in_fp32(precision: str, sweep: Sweep) -> str:
    """For how many entities a lower precision merges what fp32 does, its own vectors given."""
    both = [sweep.ours[one].merged["distant"] for one in ("fp32", precision)]
    entities = range(len(sweep.entities))
    same = sum(_of_entity(both[0], one)[0] == _of_entity(both[1], one)[0] for one in entities)
    return (
        f"distant, {precision}: the same views merged as in fp32 for {same} of "
        f"{len(entities)} entities"
    )


def _sweep_rows(sweep: Sweep) -> list[Row]:
    plain = sum(sweep.plain.values())
    rows = [
        Row.compared(
            "sweep",
            f"all {len(SETTINGS)} settings: no merging, 1 to 4 layers distant and close, "
            f"{precision}",
            "entities/s",
            plain,
            ours.seconds,
            len(sweep.entities),
            "encoding and merging; ranking is in the end to end",
        )
        for precision, ours in sweep.ours.items()
    ]
    ours = sweep.ours["fp32"]
    for name, taken in (("distant", ["distant"]), ("close", ["close"]), ("both", [*ours.merging])):
        passes = np.array([ours.merging[pairs] for pairs in taken])
        whole = ours.encoding + passes.sum(axis=0)
        dearest = ours.encoding + passes.max(axis=0)
        rows.append(
            Row(
                "sweep",
                f"{name}: the whole sweep over our most expensive setting alone",
                "s",
                ours=float(np.median(whole)),
                remark=f"that setting takes {np.median(dearest):.2f} s; one pass gives all its "
                "layers",
                **spread(whole / dearest),
            )
        )
    return rows


def _check(findings: Findings, pairs: str, sweep: Sweep) -> None:
    """Compare spans and vectors of an entity's new views, layer by layer."""
    expected = sweep.plain_merged[pairs]
    equal, ours, theirs, views = 0, [], [], 0
    for entity, one in enumerate(expected):
        spans, vectors = _of_entity(sweep.ours["fp32"].merged[pairs], entity)
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
