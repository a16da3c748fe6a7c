"""Sizes of the encoder and the data: of the files here, else as published."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from muver.io.files import read_json
from muver.reproduction.settings import NAMED_DATASETS
from muver.reproduction.workspace import Graph, KnowledgeBase, Worlds
from muver.retriever.corpus.sources import SPLITS, find_source
from muver.retriever.encoders.hub import at_revision, cached, place
from muver.retriever.encoders.sizes import BertConfig

DUMP_BYTES = 37_323_265_802  # KILT's 34.76 GiB
PAGE_BYTES = 2000  # of an entity's text, roughly
VIEWS = 15.33  # of an entity, on average: the paper's Table 3, for ZESHEL's test worlds


def encoder_sizes(graph: Graph, known: Mapping[str, Mapping[str, int]]) -> BertConfig:
    """Sizes of one tower; ``known`` are those of encoders that are not here, else BERT-base's."""
    name = graph.settings.encoder
    for folder in (graph.encoder.path, place(name)):
        if (config := Path(folder, "config.json")).is_file():
            return BertConfig.from_file(config)
    if name == "scratch":
        new = graph.settings.scratch
        return BertConfig(
            new.vocabulary, new.hidden, new.layers, new.heads, new.intermediate, new.positions
        )
    if path := cached(name):
        return BertConfig.from_file(path)
    return BertConfig(**known.get(at_revision(name)[0], {}))


@dataclass(frozen=True)
class Sizes:
    """Sizes of the data, by set of mentions; those that models learn from are train and val."""

    entities: Mapping[str, int]  # that its mentions may mean
    mentions: Mapping[str, int]
    pairs: Mapping[str, float]  # of a mention and an entity that it may mean
    whole: int  # entities in all
    views: float  # of an entity, where it has several
    parts: int = 1  # that the vectors of a knowledge base lie in


def data_sizes(graph: Graph) -> Sizes | None:
    """Sizes of the data; None if nobody has counted them."""
    return _base_sizes(graph) if isinstance(graph, KnowledgeBase) else _world_sizes(graph)


def _world_sizes(graph: Worlds) -> Sizes | None:
    counts, dataset = Path(graph.corpus["/counts.json"].path), graph.settings.dataset
    if counts.is_file():
        read = read_json(counts)
        entities, mentions = read["entities"], read["mentions"]
        splits = [world["split"] for world in read["worlds"].values()]
    elif dataset in NAMED_DATASETS and (published := find_source(dataset).published):
        entities, mentions = published.entities, published.mentions
        splits = [world.split for world in published.worlds.values()]
    else:
        return None
    pairs = {
        split: entities[split] * mentions[split] / max(splits.count(split), 1) for split in SPLITS
    }
    whole = sum(entities.values())
    segment = Path(graph.segment["/manifest.json"].path)
    split = sum(read_json(segment)["sentences"].values()) if segment.is_file() else 0
    return Sizes(entities, mentions, pairs, whole, split / whole or VIEWS)


def _base_sizes(graph: KnowledgeBase) -> Sizes:
    linking, manifest = graph.linking, Path(graph.kb.path, "manifest.json")
    dump = Path(graph.raw.files[0])
    if manifest.is_file():
        whole = read_json(manifest)["entities"]
    else:
        whole = find_source(graph.origins[0]).published.entities["wikipedia"]
    expected = whole * PAGE_BYTES if graph.of_one_archive else DUMP_BYTES
    text = dump.stat().st_size if dump.is_file() else expected
    mentions = {name: _mentions(graph, name) for name in linking.sets}
    learnt = {"train": mentions[linking.train], "val": mentions[linking.validation]}
    return Sizes(
        # Validation ranks the gold entities of its mentions, and further ones.
        {**dict.fromkeys(mentions, whole), "val": min(learnt["val"] + linking.further, whole)},
        mentions | learnt,
        {name: whole * count for name, count in mentions.items()},
        whole,
        linking.kb.paragraphs,
        len(graph.parts) or ceil(text / linking.kb.part_bytes),
    )


def _mentions(graph: KnowledgeBase, name: str) -> int:
    """Mentions of a set: those linked, else those published."""
    linked = Path(graph.mentions(name)[".parquet"].path)
    if linked.is_file():
        import pyarrow.parquet as pq  # a tenth of a second, which every Snakemake would wait

        return pq.read_metadata(linked).num_rows
    return find_source(graph.origins[1]).published.mentions.get(name, 0)
