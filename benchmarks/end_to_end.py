"""Table 1 and Table 3 after training: encoding, the sweep of merging and ranking, scaled up.

Both sides run on a sample of entities and mentions. Time is linear in both, so it is scaled to the
test worlds. This covers the rows of MuVER: nine settings of merging, two of them Table 1's, ranked
by the softmax sum.
"""

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
    """Seconds of each part on both sides, and their sum."""
    options, case, sweep = context.options, context.case, context.sweep
    entities = sum(world.entities for world in case.worlds)
    mentions = sum(world.mentions for world in case.worlds)
    views = sum(world.views for world in case.worlds)
    scale = views / sweep.views
    plain = {"encoding and merging": scale * sum(sweep.plain.values())}
    ours = {"encoding and merging": scale * sweep.ours}
    plain["mentions"], ours["mentions"] = (
        len(SETTINGS) * seconds if side == "baseline" else seconds
        for side, seconds in _mention_seconds(context, mentions).items()
    )
    plain["ranking"] = ours["ranking"] = 0.0
    for setting in SETTINGS:
        for world in case.worlds:
            seconds = _ranking_seconds(_grown(context, world, *setting), world.mentions)
            plain["ranking"] += seconds["baseline"]
            ours["ranking"] += seconds["ours"]
    totals = {**plain, "all": sum(plain.values())}, {**ours, "all": sum(ours.values())}
    findings = Findings()
    for part in totals[0]:
        theirs, own = (side[part] for side in totals)
        last = part == "all"
        findings.rows.append(
            Row(
                "end to end",
                "Table 1 and Table 3 after training" if last else f"of it: {part}",
                "s",
                theirs,
                own,
                theirs / own,
                10.0 if last else None,
                remark=f"scaled from {len(sweep.entities)} entities to {entities:,}, {views:,} "
                f"views, {mentions:,} mentions in {len(case.worlds)} worlds; fp32; "
                f"{options.repetitions} repetitions"
                if last
                else "",
            )
        )
    return findings


def _mention_seconds(context: Context, mentions: int) -> dict[str, float]:
    """Seconds to encode all mentions once, from a sample of contexts."""
    options, case = context.options, context.case
    contexts = case.contexts[:CONTEXTS]
    model = baseline.library_model(case.model.mention_encoder, options.device)
    tower = Tower(case, options.device, "fp32", options.batch_tokens)
    timed = in_turn(
        {
            "baseline": lambda: baseline.encode_contexts(model, contexts),
            "ours": lambda: tower.contexts(contexts),
        },
        options.repetitions,
    )
    return {name: one.seconds * mentions / len(contexts) for name, one in timed.items()}


def _grown(context: Context, world: WorldSize, pairs: str, layers: int) -> Vectors:
    """Synthetic vectors of a world whose views grow as the sample's."""
    sweep = context.sweep
    new = sum(len(layer.views) for layer in sweep.merged[pairs][:layers])
    views = round(world.views * (1 + new / sweep.views))
    ranked = min(world.mentions, RANKED)
    return made_world(views, ranked, context.case.config.hidden_size, world.entities)


def _ranking_seconds(vectors: Vectors, mentions: int) -> dict[str, float]:
    timed = time_both(vectors, "softmax_sum", 1)
    scale = mentions / len(vectors.mentions)
    return {name: one.seconds * scale for name, one in timed.items()}
