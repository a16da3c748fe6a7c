"""Measures the paper's batch on a GPU, and projects full training and test evaluation.

Projected rows multiply measured times of steps and encoding with ZESHEL's counts.
"""

from dataclasses import replace

import numpy as np
import yaml

from benchmarks.context import Context
from benchmarks.data import Case
from benchmarks.ours import Tower, rank_world
from benchmarks.ranking import made_world
from benchmarks.rows import Findings, Row
from benchmarks.timing import in_turn
from benchmarks.training import Batch, Ours, Plain

MENTIONS, VIEWS, VIEW_TOKENS, CONTEXT_TOKENS = 128, 10, 40, 128
EPOCHS = 20
GRAPH_CHUNK = 2**20  # tokens of a pass: the batch's 67,584 at once
# Views of a test entity: the paper's Table 3, without merging, and after its last setting.
ORIGINAL_VIEWS, MERGED_VIEWS = 15.33, 32.48


def run(context: Context) -> Findings:
    """The paper's batch with every row full, then what is projected from it."""
    findings = Findings()
    options, case = context.options, context.case
    full = _full_batch(case)
    batch = Batch(full, MENTIONS)
    plain = Plain(full.model.mention_encoder, full.model.entity_encoder, options.device)
    counts = _zeshel()
    steps = counts["train_mentions"] * EPOCHS // MENTIONS
    for precision in options.precisions:
        ours = Ours(full, options.device, precision, options.threads)
        timed = in_turn(
            {
                "baseline": lambda: plain.step(batch),
                "ours": lambda ours=ours: ours.step(batch, GRAPH_CHUNK),
            },
            options.repetitions,
        )
        theirs, own = timed["baseline"].each, timed["ours"].each
        findings.rows.append(
            Row.compared(
                "paper's batch",
                f"{MENTIONS} x {VIEWS} views x {VIEW_TOKENS} + {MENTIONS} x {CONTEXT_TOKENS} "
                f"tokens, {precision}",
                "steps/s",
                theirs,
                own,
                1,
                "every row full, no gold twice; the baseline in fp32",
            )
        )
        findings.rows.append(
            context.share_of_peak(
                "paper's batch", "the step", precision, batch.work(full), timed["ours"].seconds
            )
        )
        findings.rows.append(
            Row.compared(
                "projected",
                f"ZESHEL, full training, {precision}",
                "h",
                steps * theirs / 3600,
                steps * own / 3600,
                remark=f"projected: {steps:,} steps ({counts['train_mentions']:,} mentions, "
                f"{EPOCHS} epochs); without optimiser and validation",
            )
        )
        findings.rows.append(_evaluation(context, precision, counts))
    case.model.zero_grad()
    case.model.eval()
    return findings


def _full_batch(case: Case) -> Case:
    """The case with training sequences of the greatest lengths."""
    random = np.random.Generator(np.random.PCG64(3))

    def sequence(length: int) -> list[int]:
        inner = random.integers(1000, case.config.vocab_size, length - 2)
        return [*case.markers.bos, *inner.tolist(), *case.markers.eos]

    return replace(
        case,
        batch_contexts=[sequence(CONTEXT_TOKENS) for _ in range(MENTIONS)],
        batch_golds=list(range(MENTIONS)),
        batch_views={n: [sequence(VIEW_TOKENS) for _ in range(VIEWS)] for n in range(MENTIONS)},
    )


def _evaluation(context: Context, precision: str, counts: dict[str, int]) -> Row:
    """Encoding, one pass of merging and ranking of ZESHEL's test split, from measured rates."""
    options, case = context.options, context.case
    entities = case.sample(options.entities)
    flat = [ids for views in entities for ids in views]
    tower = Tower(case, options.device, precision, options.batch_tokens)
    originals = tower.views(flat)
    merged = tower.merge(entities, originals, 4, "distant")
    contexts = case.contexts[:100]
    world = made_world(16000, 64, case.config.hidden_size)
    timed = in_turn(
        {
            "views": lambda: tower.views(flat),
            "merging": lambda: tower.merge(entities, originals, 4, "distant"),
            "contexts": lambda: tower.contexts(contexts),
            "ranking": lambda: rank_world(
                world.mentions, world.views, world.owners, world.titles, "softmax_sum"
            ),
        },
        options.repetitions,
    )
    new = max(sum(len(layer.views) for layer in merged), 1)
    views = counts["test_entities"] * ORIGINAL_VIEWS
    added = counts["test_entities"] * (MERGED_VIEWS - ORIGINAL_VIEWS)
    mentions = counts["test_mentions"]
    # The mean world has a quarter of all views; ranking is linear in them.
    seen = (views + added) / counts["test_worlds"]
    seconds = (
        timed["views"].seconds * views / len(flat)
        + timed["merging"].seconds * added / new
        + timed["contexts"].seconds * mentions / len(contexts)
        + timed["ranking"].seconds * mentions / len(world.mentions) * seen / len(world.views)
    )
    tokens = np.mean([len(ids) for ids in flat])
    return Row(
        "projected",
        f"ZESHEL, test evaluation with merging, {precision}",
        "h",
        None,
        seconds / 3600,
        remark=f"projected: {counts['test_entities']:,} entities; assumed the paper's "
        f"{ORIGINAL_VIEWS} views an entity, {MERGED_VIEWS} with merged ones, {tokens:.0f} tokens "
        f"a view, mentions spread evenly over worlds of equal size; tokenising not counted",
    )


def _zeshel() -> dict[str, int]:
    """ZESHEL's published counts."""
    from importlib.resources import files

    text = (files("muver.retriever.corpus") / "sources.yaml").read_text(encoding="utf-8")
    published = yaml.safe_load(text)["zeshel"]["published"]
    return {
        "train_mentions": published["mentions"]["train"],
        "test_mentions": published["mentions"]["test"],
        "test_entities": published["entities"]["test"],
        "test_worlds": sum(w["split"] == "test" for w in published["worlds"].values()),
    }
