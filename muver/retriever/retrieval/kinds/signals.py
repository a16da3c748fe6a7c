"""Signals: a weighted sum of what speaks for an entity: words, letters, texts, trained rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import field

from muver.io.typed import Count, Some, Text
from muver.io.typed import Settings as Base
from muver.retriever.retrieval.retrieval_settings import Run, ViewsSignal

if TYPE_CHECKING:
    import numpy as np

    from muver.retriever.retrieval.signals.catalog import Catalog

ByText = Literal["names", "names_text", "context"]  # read vectors of texts
Name = Literal["words", "characters", ByText]
SIGNALS, BY_TEXT = get_args(Name), get_args(ByText)


class Section(Base):
    """Section ``signals``: those that are summed, rows among them, and the rank that counts as a
    hit on validation, where their weights are chosen."""

    of: Some[Text] = field(default_factory=lambda: [*SIGNALS])
    cutoff: Count = 16


class Settings(Run, kw_only=True):
    """What is summed: names of signals, how a row scores views, or "run" for another row's run."""

    of: Some[Literal[Name, "run"] | ViewsSignal] = field(default_factory=lambda: [*SIGNALS])
    cutoff: Count = 16

    def __post_init__(self) -> None:
        """Two rows may have the same settings of views, of different models."""

    @property
    def names(self) -> list[str]:
        """A name for each signal, with a number where two have the same."""
        names = [signal if isinstance(signal, str) else "views" for signal in self.of]
        return [
            f"{signal} {names[: n + 1].count(signal)}" if names.count(signal) > 1 else signal
            for n, signal in enumerate(names)
        ]


def needs(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What the signals read; if there are weights, over validation mentions too."""
    of = row.get("of") or SIGNALS
    asked = {
        "texts": any(signal in BY_TEXT for signal in of),
        "views": any(isinstance(signal, Mapping) for signal in of),
        "scores": "run" in of,
    }
    sources = [name for name, wanted in asked.items() if wanted]
    chosen = [f"validation_{name}" for name in sources] if len(of) > 1 else []
    return "entities", "mentions", *sources, *chosen


def retrieve(
    settings: Settings,
    run: Path,
    *,
    entities: Path,
    mentions: Path,
    texts: Path | None = None,
    views: Sequence[Path] = (),
    scores: Sequence[Path] = (),
    validation_texts: Path | None = None,
    validation_views: Sequence[Path] = (),
    validation_scores: Sequence[Path] = (),
) -> dict[str, Any]:
    """Rank the entities of each mention's world by the sum, weighted as validation chooses.

    One signal alone has no weight. Ties are decided by the entities' order in the world.

    Parameters
    ----------
    texts
        What signals compare (`muver stage encode-texts`).
    views
        Of the rows that are summed: each one's store, with its merged and global views.
    scores
        Runs of those that keep no views.
    validation_texts, validation_views, validation_scores
        The same over validation mentions.
    """
    import numpy as np

    from muver.io.progress import logger
    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.retrieval.rows import RunRows
    from muver.retriever.retrieval.signals import summed
    from muver.retriever.retrieval.signals.catalog import Catalog, kept_vectors

    weights, chosen = [1.0], None
    if len(settings.of) > 1:
        known = Catalog(settings.of, validation_texts, validation_views, validation_scores)
        chosen = {**_choose(settings, entities, mentions, known), "of": settings.names}
        weights = chosen["weights"]
        logger.info("weights of %s: %s", ", ".join(settings.names), weights)
    catalog = Catalog(settings.of, texts, views, scores)
    rows = RunRows(entities, read_mentions(mentions, settings.split), settings)
    counts = np.zeros(3, dtype=int)
    for world in rows.worlds("signals"):
        signals = catalog.signals(world.candidates.world, world.entities)
        for block in world.blocks(len(signals)):
            total = summed(_scores(signals, block), weights)
            ids = [mention["mention_id"] for mention in block]
            rows.add_scores(world.candidates, ids, total)
        kept = kept_vectors(signals)
        counts += len(world.entities), sum(map(len, kept)), sum(vectors.nbytes for vectors in kept)
    rows.write(run)
    numbers = dict(zip(("entities", "views", "bytes"), counts.tolist(), strict=True))
    return {"counts": numbers, "chosen": chosen}


def _choose(
    settings: Settings, entities: Path, mentions: Path, catalog: "Catalog"
) -> dict[str, Any]:
    """The weights that find most gold entities of validation mentions, under the run's protocol."""
    import numpy as np

    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.retrieval.rows import RunRows
    from muver.retriever.retrieval.signals import LabelledScores, choose_weights

    rows, known = RunRows(entities, read_mentions(mentions, "val"), settings), []
    for world in rows.worlds("signals on validation"):
        candidates = world.candidates
        signals = catalog.signals(candidates.world, world.entities)
        for block in world.blocks(len(signals)):
            gold = np.array([mention["gold"] for mention in block])
            pages = rows.own_pages(candidates, [mention["mention_id"] for mention in block])
            scores = _scores(signals, block)
            known.append(LabelledScores(scores, candidates.candidate_of, gold, pages))
    return choose_weights(known, settings.cutoff)


def _scores(signals: Sequence[Any], mentions: Sequence[Mapping[str, Any]]) -> "np.ndarray":
    """Each signal's scores: (signals, mentions, entities)."""
    import numpy as np

    return np.stack([signal.scores(mentions) for signal in signals])
