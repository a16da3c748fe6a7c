"""What merged views are worth: docs/results/merging.csv and its figure, on validation mentions.

``make merging`` runs this. For views of one sentence, two and more it says how many there are, how
often they decide, and how high they score.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from matplotlib.figure import Figure

from muver.io.files import atomic_path, write_text
from muver.reproduction.figures.style import BLUE, GREY, ORANGE, house_style
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.tables.render import csv_text
from muver.reproduction.workspace import graph_of
from muver.retriever.vectors.part import Part
from muver.retriever.views.layout import entity_slices

MODEL, SEARCH, LONGEST, HIGH = "muver", "distant", 6, 99.9
NUMBERS, DRAWING = Path("docs/results/merging.csv"), Path("docs/images/merging.svg")


class Line(NamedTuple):
    """Views of so many sentences, the last line's or more.

    ``views``, ``first`` and ``gold`` are shares in percent: of all views, of the views that win a
    mention's first candidate its place, and of the best views of gold entities. The scores of all
    pairs of a mention and a view of its world have the mean, the standard deviation and the 99.9th
    percentile, each averaged over worlds.
    """

    sentences: int
    views: float
    first: float
    gold: float
    mean: float
    deviation: float
    high: float


class World(NamedTuple):
    """One world's scores.

    Attributes
    ----------
    scores : (mentions, views) float32, views of an entity side by side
    owners, sentences : (views,) int
    gold : (mentions,) int
    """

    scores: np.ndarray
    owners: np.ndarray
    sentences: np.ndarray
    gold: np.ndarray


def folders() -> dict[str, Path]:
    """What is read, by kind; made where it is missing."""
    graph = graph_of(resolve(read_params("params.yaml"), {}))
    made = {(one.kind, one.name): one for one in graph.by_place.values()}
    names = {"corpus": "", "stores": f"val/{MODEL}", "merged": f"val/{MODEL}-{SEARCH}"}
    found = {kind: made[kind, name] for kind, name in names.items()}
    files = [one.files[0] for one in found.values()]
    subprocess.run(["snakemake", "--cores", "all", *files], check=True)
    return {kind: Path(one.path) for kind, one in found.items()}


def worlds() -> Iterator[World]:
    """The validation mentions, each against all views of its world."""
    lies = folders()
    rows = pq.read_table(lies["corpus"] / "mentions.parquet", columns=["mention_id", "gold"])
    gold = dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    mentions = Part(lies["stores"] / "mentions.npy")
    layers = [lies["stores"] / "layer0.npy", *sorted(lies["merged"].glob("layer*.npy"))]
    for world, own in mentions.spans.items():
        parts = [part for part in map(Part, layers) if world in part.spans]
        rows = pa.concat_tables(part.rows(world, ["entity", "first", "last"]) for part in parts)
        owners, first, last = (column.to_numpy() for column in rows.columns)
        vectors = np.concatenate([part.matrix[part.spans[world]] for part in parts])
        order = np.argsort(owners, kind="stable")
        asked = mentions.rows(world, ["mention_id"])["mention_id"].to_pylist()
        yield World(
            mentions.matrix[own] @ vectors[order].T,
            owners[order],
            np.minimum(last - first + 1, LONGEST)[order],
            np.array([gold[mention] for mention in asked]),
        )


def best(world: World, single: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """(mentions, entities) best scores and (mentions, entities) the sentences of these views."""
    scores = np.where(world.sentences == 1, world.scores, -np.inf) if single else world.scores
    places = [own.start + scores[:, own].argmax(1) for own in entity_slices(world.owners)]
    won = np.stack(places, 1)
    return np.take_along_axis(scores, won, 1), world.sentences[won]


def ranks(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """(mentions,) places of the gold entities, from 1."""
    own = np.take_along_axis(scores, gold[:, None], 1)
    return 1 + (scores > own).sum(1)


def measure() -> list[Line]:
    """A line for each number of sentences; prints how many gold entities merging moves."""
    views, first, gold, moments, moved = [], [], [], [], []
    for world in worlds():
        merged, won = best(world)
        plain, _ = best(world, single=True)
        rows = np.arange(len(won))
        views.append(world.sentences)
        first.append(won[rows, merged.argmax(1)])
        gold.append(won[rows, world.gold])
        moved.append(np.stack([ranks(plain, world.gold), ranks(merged, world.gold)]))
        by_length = [world.scores[:, world.sentences == n] for n in range(1, LONGEST + 1)]
        moments.append([[own.mean(), own.std(), np.percentile(own, HIGH)] for own in by_length])
    before, after = np.concatenate(moved, 1)
    better, worse = (after < before).sum(), (after > before).sum()
    print(
        f"merging gives {better} of {len(before)} gold entities a better place, {worse} a worse one"
    )
    shares = []
    for each in (views, first, gold):
        counts = np.bincount(np.concatenate(each), minlength=LONGEST + 1)[1:]
        shares.append(100 * counts / counts.sum())
    columns = np.column_stack([*shares, np.mean(moments, 0)]).round(3).tolist()
    return [Line(n, *row) for n, row in enumerate(columns, 1)]


def draw(lines: list[Line]) -> None:
    """How many views there are and how often they decide; how high they score."""
    numbers = Line(*map(np.array, zip(*lines, strict=True)))
    with house_style():
        figure = Figure(figsize=(8.3, 3.2), layout="constrained")
        shares, scores = figure.subplots(1, 2)
        bars = (
            ("all views", GREY),
            ("first candidates' best", ORANGE),
            ("gold entities' best", BLUE),
        )
        for aside, (label, colour), own in zip((-0.27, 0, 0.27), bars, numbers[1:4], strict=True):
            shares.bar(numbers.sentences + aside, own, 0.25, color=colour, label=label)
        shares.set_title("Views, percent")
        shares.legend()
        spread = {"yerr": numbers.deviation, "color": GREY, "marker": "o", "capsize": 2}
        scores.errorbar(numbers.sentences, numbers.mean, label="mean and deviation", **spread)
        scores.plot(numbers.sentences, numbers.high, color=ORANGE, marker="^", label="highest 0.1%")
        scores.set_title("Scores of mentions with the views of their world")
        scores.legend()
        for axes in (shares, scores):
            axes.set_xticks(numbers.sentences, [*range(1, LONGEST), f"{LONGEST}+"])
            axes.set_xlabel("sentences of a view")
        with atomic_path(DRAWING) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None})


def main() -> None:
    """Measure, write the numbers and draw them."""
    lines = measure()
    write_text(NUMBERS, csv_text(Line._fields, lines))
    draw(lines)


if __name__ == "__main__":
    main()
