"""Measures ranking: mentions per second in worlds of several sizes; compares the lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import torch

from benchmarks import baseline
from benchmarks.context import Context
from benchmarks.ours import AGGREGATES, rank_world
from benchmarks.rows import Findings, Row, spread
from benchmarks.timing import Timed, in_turn
from muver.retriever.encoders.bulk import Packed
from muver.retriever.retrieval.exact import Ranking
from muver.retriever.retrieval.tokens import score_world

SIZES = (1000, 16000, 64000)
QUICK_SIZES = (1000, 16000)
VIEWS_AN_ENTITY = 15  # the paper's worlds have 15 to 32
LEAST_ENTITIES = 250  # the baseline's walk needs 200 titles
MENTIONS = 256
TOKENS = 128  # of a mention or an entity, for SOM
NEAR = 1e-5  # scores that differ by less, relative to the greatest, count as a tie


@dataclass(frozen=True)
class Vectors:
    """A world of vectors: (mentions, d), (views, d), the (views,) entity of each, titles."""

    mentions: np.ndarray
    views: np.ndarray
    owners: np.ndarray
    titles: list[str]

    def as_plain(self) -> tuple[torch.Tensor, torch.Tensor, list[str]]:
        """For the baseline, with a title per view."""
        named = [self.titles[owner] for owner in self.owners]
        return torch.from_numpy(self.mentions), torch.from_numpy(self.views), named


def made_world(views: int, mentions: int, dimension: int, entities: int | None = None) -> Vectors:
    """Vectors of views near their entity's, and of mentions.

    Scores have a standard deviation of 3, so that no softmax underflows.
    """
    random = np.random.Generator(np.random.PCG64(views))
    count = min(entities or max(views // VIEWS_AN_ENTITY, LEAST_ENTITIES), views)
    owners = np.sort(np.r_[np.arange(count), random.integers(0, count, views - count)])
    centres = random.standard_normal((count, dimension), dtype=np.float32)
    vectors = np.empty((views, dimension), dtype=np.float32)
    for start in range(0, views, 65536):
        part = slice(start, start + 65536)
        noise = random.standard_normal(vectors[part].shape, dtype=np.float32)
        vectors[part] = 0.8 * centres[owners[part]] + 0.6 * noise
    asked = random.standard_normal((mentions, dimension), dtype=np.float32)
    asked *= 3 / np.linalg.norm(asked, axis=1, keepdims=True)
    return Vectors(asked, vectors, owners, [f"title {n}" for n in range(count)])


def run(context: Context) -> Findings:
    """Measure the released aggregates against the baseline, and all against the maximum."""
    findings = Findings()
    options, case = context.options, context.case
    sizes = QUICK_SIZES if options.quick else SIZES
    for aggregate in ("max", "softmax_sum"):
        for size in sizes:
            world = made_world(
                size, MENTIONS // 4 if options.quick else MENTIONS, case.config.hidden_size
            )
            timed = time_both(world, aggregate, options.repetitions)
            plain, ours = timed["baseline"], timed["ours"]
            count = len(world.mentions)
            findings.rows.append(
                Row.compared(
                    "ranking",
                    f"{aggregate}, {size:,} views",
                    "mentions/s",
                    plain.each,
                    ours.each,
                    count,
                    f"{count} mentions, {len(world.titles)} entities, made vectors of "
                    f"{case.config.hidden_size} numbers, fp32 on the CPU",
                )
            )
            findings.agree(*compare_lists(f"{aggregate}, {size:,} views", world, timed))
    for size in sizes:
        findings.rows += beside_max(size, case.config.hidden_size, options.repetitions)
    findings.rows.append(by_tokens(case.config.hidden_size, options.repetitions))
    return findings


def by_tokens(dimension: int, repetitions: int) -> Row:
    """SOM's scores of token vectors, in bf16 and in fp32; the vectors are made, not encoded."""
    vectors = torch.randn(65536, dimension, generator=torch.Generator().manual_seed(0))
    vectors = torch.nn.functional.normalize(vectors, dim=1)

    def encode(batch: Packed) -> torch.Tensor:
        return batch.unpack(vectors[batch.ids])

    towers = SimpleNamespace(
        encode_mentions=encode, encode_views=encode, device=torch.device("cpu"),
        config=SimpleNamespace(pad_to=(None, None)),
    )  # fmt: skip
    sequences = np.random.default_rng(0).integers(len(vectors), size=(2 * MENTIONS, TOKENS))
    sides = sequences[:MENTIONS].tolist(), sequences[MENTIONS:].tolist()

    def scores(bf16: bool) -> np.ndarray:
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            return score_world(towers, *sides, 2048)

    precisions = {"fp32": lambda: scores(False), "bf16": lambda: scores(True)}
    timed = in_turn(precisions, repetitions)
    return Row.compared(
        "ranking",
        "token vectors, bf16",
        "pairs/s",
        timed["fp32"].each,
        timed["bf16"].each,
        MENTIONS**2,
        f"baseline: ours in fp32; {MENTIONS} mentions and as many entities of {TOKENS} tokens",
    )


def beside_max(views: int, dimension: int, repetitions: int) -> list[Row]:
    """Every other aggregate on one world, and how its rate compares with the maximum's."""
    world = made_world(views, MENTIONS, dimension)
    timed = in_turn(
        {
            name: lambda name=name: rank_world(
                world.mentions, world.views, world.owners, world.titles, name
            )
            for name in AGGREGATES
        },
        repetitions,
    )
    return [
        Row(
            "aggregates",
            f"{name}, {views:,} views",
            "mentions/s",
            None,
            MENTIONS / own.seconds,
            remark="ratio: rate over that of max",
            **spread(timed["max"].each / own.each),
        )
        for name, own in timed.items()
    ]


def time_both(world: Vectors, aggregate: str, repetitions: int) -> dict[str, Timed]:
    """Baseline and ours on one world, in turn."""
    mentions, views, named = world.as_plain()
    accumulate = aggregate == "softmax_sum"
    return in_turn(
        {
            "baseline": lambda: baseline.rank_mentions(mentions, views, named, accumulate),
            "ours": lambda: rank_world(
                world.mentions, world.views, world.owners, world.titles, aggregate
            ),
        },
        repetitions,
    )


def compare_lists(what: str, world: Vectors, timed: dict[str, Timed]) -> tuple[bool, str]:
    """Whether both sides rank the same titles apart from ties, and a line about it."""
    walks: Sequence[baseline.Walk] = timed["baseline"].result
    ranking: Ranking = timed["ours"].result
    identical = different = 0
    for walk, entities, scores in zip(walks, ranking.entities, ranking.scores, strict=True):
        ours = [world.titles[entity] for entity in entities if entity >= 0]
        if ours == walk.titles:
            identical += 1
            continue
        values = np.array(walk.values)
        near = NEAR * np.abs(values).max()
        apart = [
            place
            for place, (mine, theirs) in enumerate(zip(ours, walk.titles, strict=False))
            if mine != theirs and abs(float(scores[place]) - values[place]) > near
        ]
        different += bool(apart) or len(ours) != len(walk.titles)
    tied = len(walks) - identical - different
    line = f"{what}: {identical} of {len(walks)} lists identical"
    if tied:
        line += f", {tied} but for the order of scores within {NEAR:g}"
    if different:
        line += f", {different} different"
    return different == 0, line
