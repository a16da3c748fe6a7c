"""Signals: a weighted sum of what a mention's words, letters and texts say, without training."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from msgspec import field

from muver.io.typed import Count, Some
from muver.io.typed import Settings as Base
from muver.retriever.encoders.settings import Machine
from muver.retriever.retrieval.settings import Run

if TYPE_CHECKING:
    import numpy as np


SCORES_HELD = 16 * 2**20  # float32 scores of a block of mentions: 64 MB
Name = Literal["words", "characters", "names", "names_text", "context"]


class Signals(Base):
    """Section ``signals``: those that are summed, and the rank that counts as a hit on validation,
    where their weights are chosen."""

    of: Some[Name] = field(default_factory=lambda: [*get_args(Name)])
    cutoff: Count = 16


Section = Signals


class Settings(Run, kw_only=True):
    """The section, and what every run has."""

    of: Some[Name] = field(default_factory=lambda: Signals().of)
    cutoff: Count = Signals().cutoff


class Block(NamedTuple):
    """Some mentions of a world, and each signal's scores: (signals, mentions, entities)."""

    world: str
    mentions: list[dict[str, Any]]
    scores: "np.ndarray"


def needs(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Texts, and a model whose entity tower reads them: one that was not trained."""
    return "entities", "mentions", "model"


def retrieve(
    settings: Settings,
    run: Path,
    manifest: Path,
    *,
    entities: Path,
    mentions: Path,
    model: Path,
    compute: Machine,
) -> None:
    """Rank the entities of each mention's world by the sum, weighted as validation chooses.

    One signal alone has no weight. Ties are decided by the entities' order in the world.
    """
    import numpy as np

    from muver.io.files import write_manifest
    from muver.io.progress import logger
    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.encoders.stages import Encoder
    from muver.retriever.retrieval.exact import rank_scores
    from muver.retriever.retrieval.rows import Origins, RunRows
    from muver.retriever.retrieval.signals.texts import reader

    encode = reader(Encoder(model, compute))
    weights, chosen = [1.0], None
    if len(settings.of) > 1:
        chosen = _choose(settings, entities, mentions, encode)
        weights = chosen["weights"]
        logger.info("weights of %s: %s", ", ".join(settings.of), weights)
    table = read_mentions(mentions, settings.split)
    rows = RunRows(entities, table, settings)
    for block in _blocks(settings, entities, table, encode):
        found_in = rows.candidates(block.world)
        scores = np.tensordot(np.asarray(weights, dtype=np.float32), block.scores, axes=1)
        no_views = np.full(len(found_in.of), -1)
        ids = [one["mention_id"] for one in block.mentions]
        ranking = rank_scores(scores, found_in.of, rows.k)
        rows.add(found_in, ids, ranking, Origins(no_views, no_views, no_views))
    rows.write(run)
    write_manifest(manifest, "retrieve", settings.as_dict(), {}, counts=None, chosen=chosen)


def _choose(settings: Settings, entities: Path, mentions: Path, encode: Any) -> dict[str, Any]:
    """The weights that find most gold entities of validation mentions, under the run's protocol."""
    import numpy as np

    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.retrieval.rows import RunRows
    from muver.retriever.retrieval.signals.weights import World, choose_weights

    table = read_mentions(mentions, "val")
    rows = RunRows(entities, table, settings)
    leaves_out, worlds = settings.own_page == "leave_out", []
    for block in _blocks(settings, entities, table, encode):
        own = rows.candidates(block.world)
        pages = [own.documents.get(one["document"], -1) for one in block.mentions]
        gold = np.array([one["gold"] for one in block.mentions])
        out = np.array(pages if leaves_out else [-1] * len(pages))
        worlds.append(World(block.scores, own.of, gold, out))
    return choose_weights(worlds, settings.cutoff)


def _blocks(settings: Settings, entities: Path, table: Any, encode: Any) -> Iterator[Block]:
    """Every signal's scores of mentions, world by world."""
    import numpy as np

    from muver.io.progress import Progress
    from muver.retriever.corpus.schema import read_entities
    from muver.retriever.retrieval.signals.catalog import signals_of

    worlds = np.array(table["world"].to_pylist(), dtype=object)
    progress = Progress("signals", table.num_rows, "mentions")
    for name in dict.fromkeys(worlds):
        own = table.take(np.flatnonzero(worlds == name)).to_pylist()
        world = read_entities(entities, [name]).to_pylist()
        signals = signals_of(settings.of, world, encode)
        size = max(SCORES_HELD // (len(world) * len(signals)), 1)
        for start in range(0, len(own), size):
            part = own[start : start + size]
            yield Block(name, part, np.stack([one.scores(part) for one in signals]))
            progress.advance(len(part))
    progress.finish()
