"""The stages that make runs: from a view store, or straight from a model (SOM)."""

from pathlib import Path
from typing import Any

import numpy as np

from muver.corpus.schema import read_entities, read_mentions
from muver.errors import InputError
from muver.evaluation.runs import write_run
from muver.files import write_manifest
from muver.progress import Progress, logger
from muver.retrieval.exact import Ranking, build_world, first_with_same, rank, rank_scores
from muver.retrieval.layers import ORIGINAL, Origins, SystemViews
from muver.retrieval.settings import TOKENS, VECTORS, check_settings


class RunRows:
    """Collects rankings world by world into the columns of a run file."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {
            name: []
            for name in (
                "mention_id", "world", "rank", "entity", "title", "score", "layer", "first", "last",
            )
        }  # fmt: skip

    def add(
        self,
        world: str,
        mention_ids: list[str],
        titles: list[str],
        ranking: Ranking,
        origins: Origins,
    ) -> None:
        """Append one world's rankings.

        Parameters
        ----------
        origins
            Of each row that ``ranking.rows`` points to.
        """
        columns = self._columns
        for row, mention in enumerate(mention_ids):
            kept = ranking.entities[row] >= 0
            entities, rows = ranking.entities[row][kept], ranking.rows[row][kept]
            columns["mention_id"].extend([mention] * len(entities))
            columns["world"].extend([world] * len(entities))
            columns["rank"].extend(range(1, len(entities) + 1))
            columns["entity"].extend(entities.tolist())
            columns["title"].extend(titles[entity] for entity in entities)
            columns["score"].extend(ranking.scores[row][kept].tolist())
            for name, column in origins._asdict().items():
                columns[name].extend(column[rows].tolist())

    def write(self, path: Path, mention_ids: list[str]) -> None:
        """Write the run file, its mentions in the order of ``mention_ids``."""
        place = {mention: number for number, mention in enumerate(mention_ids)}
        order = np.argsort([place[m] for m in self._columns["mention_id"]], kind="stable")
        write_run(path, **{n: [some[row] for row in order] for n, some in self._columns.items()})


def candidates(titles: list[str], match: str) -> np.ndarray:
    """The candidate each entity belongs to: its own, or that of its title."""
    if match not in ("title", "id"):
        raise InputError(f"match: {match!r} is not 'title' or 'id'.")
    return first_with_same(titles) if match == "title" else np.arange(len(titles))


def retrieve_from_store(
    store: Path,
    merged: Path | None,
    entities: Path,
    mentions: Path,
    run: Path,
    manifest: Path,
    settings: dict[str, Any],
    *,
    global_views: Path | None = None,
    spans: Path | None = None,
) -> None:
    """Rank entities by the vectors of a store.

    Parameters
    ----------
    merged, global_views, spans
        Folders of further views (:class:`muver.retrieval.layers.SystemViews`).
    settings
        Those of :data:`muver.retrieval.settings.VECTORS`; what is left out has its default.
    """
    settings = check_settings(settings, VECTORS)
    views = SystemViews(settings, store, merged, global_views, spans)
    if not (store / "mentions.npy").is_file():
        raise InputError(f"{store / 'mentions.npy'}: no such file. Run the encode stage first.")
    vectors = np.load(store / "mentions.npy", mmap_mode="r")
    table = read_mentions(mentions, settings["split"])
    if table.num_rows != len(vectors):
        raise InputError(
            f"{store / 'mentions.npy'} has {len(vectors)} rows, {mentions} has {table.num_rows} "
            f"mentions in split {settings['split']!r}: they belong to different runs. Run the "
            "encode stage again."
        )
    worlds = np.array(table["world"].to_pylist(), dtype=object)
    if set(worlds) != set(views.worlds):
        raise InputError(
            f"{store} holds the worlds {', '.join(views.worlds)}, the mentions in split "
            f"{settings['split']!r} are of {', '.join(sorted(set(worlds)))}. Run the encode stage "
            "again."
        )
    ids = np.array(table["mention_id"].to_pylist(), dtype=object)
    rows = RunRows()
    counts = {"entities": 0, "views": 0}
    progress = Progress("ranking", len(vectors), "mentions")
    position = 0
    for name in views.worlds:
        own = ids[worlds == name].tolist()
        titles = read_entities(entities, [name])["title"].to_pylist()
        stacked, owners, origins = views.world(name)
        ranking = rank(
            vectors[position : position + len(own)],
            build_world(stacked, owners, candidates(titles, settings["match"])),
            settings["k"],
            settings["aggregate"],
            settings["softmax_candidates"],
            settings["memory_mb"],
            metric=settings["metric"],
        )
        position += len(own)
        rows.add(name, own, titles, ranking, origins)
        counts["entities"] += len(titles)
        counts["views"] += len(owners)
        logger.info("%s: %d mentions against %d views", name, len(own), len(owners))
        progress.advance(len(own))
    progress.finish()
    rows.write(run, ids.tolist())
    write_manifest(manifest, "retrieve", settings, {}, counts=counts)


def retrieve_over_tokens(
    model_folder: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    run: Path,
    manifest: Path,
    settings: dict[str, Any],
    compute: dict[str, Any],
) -> None:
    """Rank entities by token vectors, encoded a chunk at a time and never stored (SOM).

    The manifest counts every token vector of an entity as a view.

    Parameters
    ----------
    settings
        Those of :data:`muver.retrieval.settings.TOKENS`; what is left out has its default.
    compute
        ``device``, ``precision``, ``threads``, ``batch_tokens``.
    """
    from muver.encoders import device
    from muver.encoders.biencoder import BiEncoder
    from muver.retrieval.tokens import score_world
    from muver.views.worlds import load_worlds

    settings = check_settings(settings, TOKENS)
    accelerator = device.start(compute)
    model = BiEncoder.from_pretrained(model_folder).to(accelerator.device).eval()
    rows = RunRows()
    counts = {"entities": 0, "views": 0}
    for world in load_worlds(
        entities, mentions, sentences, settings["split"], model.config, model.pieces
    ):
        views = [some[0] for some in world.views]
        with accelerator.autocast():
            scores = score_world(
                model.encode_mentions,
                model.encode_views,
                world.contexts,
                [view.ids for view in views],
                compute["batch_tokens"],
                accelerator.device,
                label=f"entities of {world.name}",
                memory_mb=settings["memory_mb"],
                pad_to=model.config.pad_to,
            )
        candidate_of = candidates(world.titles, settings["match"])
        ranking = rank_scores(scores, candidate_of, settings["k"], settings["memory_mb"])
        origins = Origins(
            np.full(len(views), ORIGINAL),
            np.array([view.first for view in views]),
            np.array([view.last for view in views]),
        )
        rows.add(world.name, world.mention_ids, world.titles, ranking, origins)
        counts["entities"] += len(views)
        counts["views"] += sum(model.config.pad_to[1] or len(view.ids) for view in views)
    rows.write(run, read_mentions(mentions, settings["split"])["mention_id"].to_pylist())
    write_manifest(manifest, "retrieve", settings, {}, counts=counts)
