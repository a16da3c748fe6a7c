"""The stages that make runs: from a view store, or straight from a model (SOM)."""

from pathlib import Path
from typing import Any

import numpy as np

from muver.corpus.schema import read_entities, read_mentions
from muver.errors import InputError
from muver.evaluation.runs import write_run
from muver.files import read_json, write_manifest
from muver.progress import Progress, logger
from muver.retrieval.exact import Ranking, build_world, first_with_same, rank, rank_scores
from muver.views.store import Layer, ViewStore

Spans = tuple[np.ndarray, np.ndarray, np.ndarray]


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
        spans: Spans,
    ) -> None:
        """Append one world's rankings.

        Parameters
        ----------
        spans
            Layer, first and last sentence of each row that ``ranking.rows`` points to.
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
            for name, span in zip(("layer", "first", "last"), spans, strict=True):
                columns[name].extend(span[rows].tolist())

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


def stack_layers(parts: list[Layer]) -> tuple[np.ndarray, np.ndarray, Spans]:
    """One world's layers under each other: vectors, owners, and where each view comes from.

    Returns
    -------
    (views, d) vectors, memory-mapped if there is one layer; (views,) entities; the layer, first
    and last sentence of each view.
    """
    vectors = [part.vectors for part in parts]
    return (
        vectors[0] if len(vectors) == 1 else np.concatenate(vectors),
        np.concatenate([part.entities for part in parts]),
        (
            np.concatenate([np.full(len(part.entities), n) for n, part in enumerate(parts)]),
            np.concatenate([part.first for part in parts]),
            np.concatenate([part.last for part in parts]),
        ),
    )


def retrieve_from_store(
    store: Path,
    merged: Path | None,
    entities: Path,
    mentions: Path,
    run: Path,
    manifest: Path,
    settings: dict[str, Any],
) -> None:
    """Rank entities by the vectors of a store.

    Parameters
    ----------
    merged
        Folder of the merged layers; needed if ``merge_layers`` is not 0.
    settings
        ``split``, ``aggregate``, ``merge_layers``, ``k``, ``match``, ``memory_mb`` and, for
        "softmax_sum", ``softmax_candidates``.
    """
    layers = [ViewStore(store).layer(0)]
    if settings["merge_layers"]:
        if merged is None:
            raise InputError("--merged is needed where settings.merge_layers is not 0.")
        made = read_json(merged / "manifest.json")["settings"]["layers"]
        if settings["merge_layers"] > made:
            raise InputError(
                f"{merged}: holds {made} merged layers, the row asks for "
                f"{settings['merge_layers']}. Raise merge.layers in params.yaml."
            )
        layers += [ViewStore(merged).layer(n) for n in range(1, settings["merge_layers"] + 1)]
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
    if set(worlds) != set(layers[0].worlds):
        raise InputError(
            f"{store} holds the worlds {', '.join(layers[0].worlds)}, the mentions in split "
            f"{settings['split']!r} are of {', '.join(sorted(set(worlds)))}. Run the encode stage "
            "again."
        )
    ids = np.array(table["mention_id"].to_pylist(), dtype=object)
    rows = RunRows()
    progress = Progress("ranking", len(vectors), "mentions")
    position = 0
    for name in layers[0].worlds:
        own = ids[worlds == name].tolist()
        titles = read_entities(entities, [name])["title"].to_pylist()
        parts = [layer.world(name) for layer in layers]
        stacked, owners, spans = stack_layers(parts)
        world = build_world(stacked, owners, candidates(titles, settings["match"]))
        ranking = rank(
            vectors[position : position + len(own)],
            world,
            settings["k"],
            settings["aggregate"],
            settings.get("softmax_candidates", settings["k"]),
            settings["memory_mb"],
        )
        position += len(own)
        rows.add(name, own, titles, ranking, spans)
        logger.info("%s: %d mentions against %d views", name, len(own), len(owners))
        progress.advance(len(own))
    progress.finish()
    rows.write(run, ids.tolist())
    write_manifest(manifest, "retrieve", settings, {})


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

    Parameters
    ----------
    settings
        ``split``, ``k``, ``match``.
    compute
        ``device``, ``precision``, ``threads``, ``batch_tokens``.
    """
    from muver.encoders import device
    from muver.encoders.biencoder import BiEncoder
    from muver.retrieval.tokens import score_world
    from muver.views.worlds import load_worlds

    accelerator = device.start(compute)
    model = BiEncoder.from_pretrained(model_folder).to(accelerator.device).eval()
    rows = RunRows()
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
            )
        ranking = rank_scores(scores, candidates(world.titles, settings["match"]), settings["k"])
        spans = tuple(
            np.array(column)
            for column in zip(*((0, view.first, view.last) for view in views), strict=True)
        )
        rows.add(world.name, world.mention_ids, world.titles, ranking, spans)
    rows.write(run, read_mentions(mentions, settings["split"])["mention_id"].to_pylist())
    write_manifest(manifest, "retrieve", settings, {})
