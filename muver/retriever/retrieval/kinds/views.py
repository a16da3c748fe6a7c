"""Exact search of a view store: rank entities by the vectors of their views."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.retriever.retrieval.retrieval_settings import FURTHER_VIEWS, ViewsRun, open_choice

Settings = ViewsRun


def needs(run: Mapping[str, Any]) -> tuple[str, ...]:
    """The store, the further views of the row, and validation runs if a value is to be chosen."""
    further = [name for name, setting in FURTHER_VIEWS.items() if run.get(setting)]
    more = ["validation_runs"] if open_choice(run) else []
    return "entities", "mentions", "store", *further, *more


def retrieve(
    settings: Settings, run: Path, *, entities: Path, mentions: Path, store: Path,
    merged: Path | None = None, global_views: Path | None = None,
    validation_runs: Sequence[Path] = (),
) -> dict[str, Any]:  # fmt: skip
    """Rank the entities of each mention's world by their views.

    If the aggregate has several values, ``validation_runs`` are the validation split's runs with
    each of them; the best value is chosen (:func:`muver.retriever.retrieval.choice.choose`).
    """
    from muver.io.progress import Progress, logger
    from muver.io.text import counted
    from muver.retriever.corpus.schema import read_mentions, titles_by_world
    from muver.retriever.retrieval.choice import choose
    from muver.retriever.retrieval.exact import rank
    from muver.retriever.retrieval.layers import SystemViews
    from muver.retriever.retrieval.rows import RunRows
    from muver.retriever.runs.gold import gold_ranks
    from muver.retriever.runs.run import read_run
    from muver.retriever.vectors.shards import ViewBlock

    chosen = None
    if values := settings.values:
        validation = read_mentions(mentions, "val")
        ids, worlds = (validation[name].to_pylist() for name in ("mention_id", "world"))
        titles = titles_by_world(entities, {*worlds})
        rankings = (read_run(path, ids) for path in validation_runs)
        ranks = (gold_ranks(ranked, validation, titles, settings.match) for ranked in rankings)
        chosen = choose(settings.choice, values, ranks, settings.validation_cutoff)
        logger.info("%s: %s", settings.choice, chosen[settings.choice])
    views = SystemViews(settings.settled(chosen or {}), store, merged, global_views)
    rows = RunRows(entities, read_mentions(mentions, settings.split), settings)
    counts = {"entities": 0, "views": 0, "bytes": 0}
    progress = Progress("ranking", len(rows), "mentions")
    for name in views.originals.worlds:
        mention_ids, world = views.mention_ids(name), rows.candidates(name)
        parts, owners, origins = views.world(name)
        block = ViewBlock.of(parts, owners, world.candidate_of)
        ranking = rank(
            views.mentions.vectors(name), [block], rows.k, views.aggregate, settings.memory_mb,
            settings.metric, progress.advance,
        )  # fmt: skip
        rows.add(world, mention_ids, ranking, origins)
        counts["entities"] += len(world.titles)
        counts["views"] += len(owners)
        counts["bytes"] += block.vectors.nbytes
        compared = counted(len(mention_ids), "mention"), counted(len(owners), "view")
        logger.info("%s: %s against %s", name, *compared)
    progress.finish()
    rows.write(run)
    return {"counts": counts, "chosen": chosen}
