"""Table 1 and Table 3 after training: encoding, the sweep of merging and ranking, scaled up.

Both sides run on a sample of entities and mentions. Time is linear in both, so it is scaled to the
test worlds. This covers the rows of MuVER: nine settings of merging, two of them Table 1's, ranked
by the softmax sum.
"""

import numpy as np

from benchmarks import baseline
from benchmarks.context import Context
from benchmarks.data import WorldSize
from benchmarks.ours import Tower
from benchmarks.ranking import Vectors, made_world, time_both
from benchmarks.rows import Findings, Row
from benchmarks.sweep import SETTINGS
from benchmarks.timing import in_turn

CONTEXTS, RANKED = 100, 64


def run(context: Context) -> Findings:
    """Seconds of each part on both sides, and their sum, for each precision of ours."""
    options, case, sweep = context.options, context.case, context.sweep
    entities = sum(world.entities for world in case.worlds)
    mentions = sum(world.mentions for world in case.worlds)
    views = sum(world.views for world in case.worlds)
    scale = views / sweep.views
    contexts = _mention_seconds(context, list(sweep.ours), mentions)
    ranking = {"baseline": 0.0, "ours": 0.0}
    for setting in SETTINGS:
        for world in case.worlds:
            seconds = _ranking_seconds(_grown(context, world, *setting), world.mentions)
            ranking = {side: ranking[side] + seconds[side] for side in ranking}
    plain = {
        "encoding and merging": scale * sum(sweep.plain.values()),
        "mentions": len(SETTINGS) * contexts["baseline"],
        "ranking": ranking["baseline"],
    }
    findings = Findings()
    for precision, swept in sweep.ours.items():
        ours = {
            "encoding and merging": scale * swept.seconds,
            "mentions": contexts[precision],
            "ranking": ranking["ours"],
        }
        findings.rows += [
            Row.compared("end to end", f"of it, {precision}: {part}", "s", plain[part], own)
            for part, own in ours.items()
        ]
        findings.rows.append(
            Row.compared(
                "end to end",
                f"Table 1 and Table 3 after training, {precision}",
                "s",
                sum(plain.values()),
                sum(ours.values()),
                remark=f"scaled from {len(sweep.entities)} entities to {entities:,}, {views:,} "
                f"views, {mentions:,} mentions in {len(case.worlds)} worlds; the baseline in fp32; "
                f"{options.repetitions} repetitions",
            )
        )
    return findings


def _mention_seconds(
    context: Context, precisions: list[str], mentions: int
) -> dict[str, np.ndarray]:
    """Seconds to encode all mentions once, from a sample of contexts."""
    options, case = context.options, context.case
    contexts = case.contexts[:CONTEXTS]
    model = baseline.library_model(case.model.mention_encoder, options.device)
    calls = {"baseline": lambda: baseline.encode_contexts(model, contexts)}
    for precision in precisions:
        tower = Tower(case, options.device, precision, options.batch_tokens)
        calls[precision] = lambda tower=tower: tower.contexts(contexts)
    timed = in_turn(calls, options.repetitions)
    return {name: one.each * mentions / len(contexts) for name, one in timed.items()}


def _grown(context: Context, world: WorldSize, pairs: str, layers: int) -> Vectors:
    """Synthetic vectors of a world whose views grow as the sample's."""
    sweep = context.sweep
    new = sum(len(layer.views) for layer in sweep.ours["fp32"].merged[pairs][:layers])
    views = round(world.views * (1 + new / sweep.views))
    ranked = min(world.mentions, RANKED)
    return made_world(views, ranked, context.case.config.hidden_size, world.entities)


def _ranking_seconds(vectors: Vectors, mentions: int) -> dict[str, np.ndarray]:
    timed = time_both(vectors, "softmax_sum", 1)
    scale = mentions / len(vectors.mentions)
    return {name: one.each * scale for name, one in timed.items()}
