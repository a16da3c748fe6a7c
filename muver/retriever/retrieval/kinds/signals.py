"""Signals: a weighted sum of what speaks for an entity: words, letters, texts, trained rows."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from msgspec import field

from muver.io.typed import Count, Some, Text
from muver.io.typed import Settings as Base
from muver.retriever.retrieval.settings import Run, ViewsSignal

if TYPE_CHECKING:
    import numpy as np

    from muver.retriever.retrieval.signals.catalog import Catalog

SCORES_HELD = 16 * 2**20  # float32 scores of a block of mentions: 64 MB
ByText = Literal["names", "names_text", "context"]  # read vectors of texts
Name = Literal["words", "characters", ByText]
SIGNALS, BY_TEXT = get_args(Name), get_args(ByText)


class Signals(Base):
    """Section ``signals``: those that are summed, rows among them, and the rank that counts as a
    hit on validation, where their weights are chosen."""

    of: Some[Text] = field(default_factory=lambda: [*SIGNALS])
    cutoff: Count = 16


Section = Signals


class Settings(Run, kw_only=True):
    """What is summed: names of signals, how a row scores views, or "run" for another row's run."""

    of: Some[Literal[Name, "run"] | ViewsSignal] = field(default_factory=lambda: [*SIGNALS])
    cutoff: Count = 16

    def __post_init__(self) -> None:
        """Two rows may have the same settings of views, of different models."""

    @property
    def names(self) -> list[str]:
        """A name for each signal, with a number where two have the same."""
        names = [one if isinstance(one, str) else "views" for one in self.of]
        return [
            f"{one} {names[: n + 1].count(one)}" if names.count(one) > 1 else one
            for n, one in enumerate(names)
        ]


class Block(NamedTuple):
    """Some mentions of a world, and each signal's scores: (signals, mentions, entities)."""

    world: str
    mentions: list[dict[str, Any]]
    scores: "np.ndarray"
    kept: list["np.ndarray"]  # the vectors of the world's entities


def needs(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What the signals read; if there are weights, over validation mentions too."""
    of = row.get("of") or SIGNALS
    asked = {
        "texts": any(one in BY_TEXT for one in of),
        "views": any(isinstance(one, Mapping) for one in of),
        "scores": "run" in of,
    }
    found = [name for name, wanted in asked.items() if wanted]
    chosen = [f"validation_{name}" for name in found] if len(of) > 1 else []
    return "entities", "mentions", *found, *chosen


def retrieve(
    settings: Settings,
    run: Path,
    manifest: Path,
    *,
    entities: Path,
    mentions: Path,
    texts: Path | None = None,
    views: Sequence[Path] = (),
    scores: Sequence[Path] = (),
    validation_texts: Path | None = None,
    validation_views: Sequence[Path] = (),
    validation_scores: Sequence[Path] = (),
) -> None:
    """Rank the entities of each mention's world by the sum, weighted as validation chooses.

    One signal alone has no weight. Ties are decided by the entities' order in the world.
    """
    import numpy as np

    from muver.io.files import write_manifest
    from muver.io.progress import logger
    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.retrieval.exact import rank_scores
    from muver.retriever.retrieval.rows import Origins, RunRows
    from muver.retriever.retrieval.signals.catalog import Catalog

    weights, chosen = [1.0], None
    if len(settings.of) > 1:
        known = Catalog(settings.of, validation_texts, validation_views, validation_scores)
        chosen = {**_choose(settings, entities, mentions, known), "of": settings.names}
        weights = chosen["weights"]
        logger.info("weights of %s: %s", ", ".join(settings.names), weights)
    catalog = Catalog(settings.of, texts, views, scores)
    table = read_mentions(mentions, settings.split)
    rows, counts = RunRows(entities, table, settings), {}
    for block in _blocks(settings, entities, table, catalog):
        found_in = rows.candidates(block.world)
        summed = np.tensordot(np.asarray(weights, dtype=np.float32), block.scores, axes=1)
        no_views = np.full(len(found_in.of), -1)
        ids = [one["mention_id"] for one in block.mentions]
        ranking = rank_scores(summed, found_in.of, rows.k)
        rows.add(found_in, ids, ranking, Origins(no_views, no_views, no_views))
        kept = len(found_in.of), sum(map(len, block.kept)), sum(own.nbytes for own in block.kept)
        counts[block.world] = kept
    rows.write(run)
    sums = map(sum, zip(*counts.values(), strict=True))
    numbers = dict(zip(("entities", "views", "bytes"), sums, strict=True))
    write_manifest(manifest, "retrieve", settings.as_dict(), {}, counts=numbers, chosen=chosen)


def _choose(
    settings: Settings, entities: Path, mentions: Path, catalog: "Catalog"
) -> dict[str, Any]:
    """The weights that find most gold entities of validation mentions, under the run's protocol."""
    import numpy as np

    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.retrieval.rows import RunRows
    from muver.retriever.retrieval.signals.weights import World, choose_weights

    table = read_mentions(mentions, "val")
    rows = RunRows(entities, table, settings)
    leaves_out, worlds = settings.own_page == "leave_out", []
    for block in _blocks(settings, entities, table, catalog):
        found_in = rows.candidates(block.world)
        pages = [found_in.documents.get(one["document"], -1) for one in block.mentions]
        gold = np.array([one["gold"] for one in block.mentions])
        out = np.array(pages if leaves_out else [-1] * len(pages))
        worlds.append(World(block.scores, found_in.of, gold, out))
    return choose_weights(worlds, settings.cutoff)


def _blocks(settings: Settings, entities: Path, table: Any, catalog: "Catalog") -> Iterator[Block]:
    """Every signal's scores of mentions, world by world."""
    import numpy as np

    from muver.io.progress import Progress
    from muver.retriever.corpus.schema import read_entities

    worlds = np.array(table["world"].to_pylist(), dtype=object)
    progress = Progress("signals", table.num_rows, "mentions")
    for name in dict.fromkeys(worlds):
        mentions = table.take(np.flatnonzero(worlds == name)).to_pylist()
        world = read_entities(entities, [name]).to_pylist()
        signals = catalog.signals(name, world)
        kept = {id(own): own for one in signals if (own := getattr(one, "kept", None)) is not None}
        size = max(SCORES_HELD // (len(world) * len(signals)), 1)
        for start in range(0, len(mentions), size):
            part = mentions[start : start + size]
            scores = np.stack([one.scores(part) for one in signals])
            yield Block(name, part, scores, list(kept.values()))
            progress.advance(len(part))
    progress.finish()
