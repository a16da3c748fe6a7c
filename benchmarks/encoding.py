"""Measures encoding of views: rate, and share of the matrix-product peak."""

import numpy as np
import torch

from benchmarks import baseline, flops
from benchmarks.context import Context
from benchmarks.ours import Tower
from benchmarks.rows import Findings, Row
from benchmarks.timing import in_turn

TOLERANCE = 1e-5  # of the greatest number of a vector, if that is above 1


def run(context: Context) -> Findings:
    """Encode the same entities, one at a time in the baseline and all together in ours."""
    findings = Findings()
    options, case = context.options, context.case
    entities = case.sample(options.entities)
    flat = [ids for views in entities for ids in views]
    work = 1e-9 * flops.forward(case.config, [len(ids) for ids in flat])
    model = baseline.library_model(case.model.entity_encoder, options.device)
    calls = {"baseline": lambda: [baseline.encode_entity(model, views) for views in entities]}
    for precision in options.precisions:
        tower = Tower(case, options.device, precision, options.batch_tokens)
        calls[precision] = lambda tower=tower: tower.views(flat)
    timed = in_turn(calls, options.repetitions)
    plain = timed["baseline"]
    expected = torch.cat(plain.result).numpy()
    tokens = sum(map(len, flat)) / len(flat)
    for precision in options.precisions:
        ours = timed[precision]
        findings.rows.append(
            Row.compared(
                "encoding",
                f"views, {precision}",
                "views/s",
                plain.each,
                ours.each,
                len(flat),
                f"{len(flat)} views of {len(entities)} entities, {tokens:.1f} tokens each; "
                "the baseline in fp32",
            )
        )
        findings.rows.append(
            context.share_of_peak("encoding", f"views, {precision}", precision, work, ours.seconds)
        )
        if precision == "fp32":
            findings.agree(*compare("vectors of views", ours.result, expected))
        else:
            findings.agreements.append(
                f"{precision} vectors of views: least cosine with fp32 "
                f"{cosine(ours.result, expected):.4f}"
            )
    return findings


def compare(what: str, ours: np.ndarray, expected: np.ndarray) -> tuple[bool, str]:
    """Whether two arrays agree within the tolerance, and a line with their difference."""
    difference = float(np.abs(ours - expected).max(initial=0.0))
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    line = f"{what}: greatest difference {difference:.1e}, greatest number {scale:.1f}"
    return difference <= TOLERANCE * scale, line


def cosine(ours: np.ndarray, expected: np.ndarray) -> float:
    """Least cosine of the rows of two arrays."""
    norms = np.linalg.norm(ours, axis=1) * np.linalg.norm(expected, axis=1)
    return float((np.einsum("vd,vd->v", ours, expected) / norms).min())
