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
PUBLISHED = {
    "bert-large-uncased": BertConfig(
        hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096
    ),
    "sentence-transformers/all-MiniLM-L6-v2": BertConfig(
        hidden_size=384, num_hidden_layers=6, intermediate_size=1536
    ),
}


def encoder_sizes(graph: Graph) -> BertConfig:
    """Sizes of one tower; BERT-base's where nothing is known of the encoder."""
    name = graph.settings.encoder
    for folder in (graph.encoder.path, place(name)):
        if (config := Path(folder, "config.json")).is_file():
            return BertConfig.from_file(config)
    if name == "scratch":
        own = graph.settings.scratch
        return BertConfig(
            own.vocabulary, own.hidden, own.layers, own.heads, own.intermediate, own.positions
        )
    if path := cached(name):
        return BertConfig.from_file(path)
    return PUBLISHED.get(at_revision(name)[0], BertConfig())


@dataclass(frozen=True)
class Sizes:
    """Sizes of the data, by set of mentions."""

    entities: Mapping[str, int]  # that its mentions may mean
    mentions: Mapping[str, int]
    pairs: Mapping[str, float]  # of a mention and an entity that it may mean
    whole: int  # entities in all
    views: float  # of an entity, where it has several
    text: float  # bytes of all descriptions
    parts: int  # that the vectors of a knowledge base lie in
    origin: str  # where the counts are known from


def data_sizes(graph: Graph) -> Sizes | None:
    """Sizes of the data; None if nobody has counted them."""
    return _base_sizes(graph) if isinstance(graph, KnowledgeBase) else _world_sizes(graph)


def _world_sizes(graph: Worlds) -> Sizes | None:
    settings, counts = graph.settings, Path(graph.corpus["/counts.json"].path)
    dataset = settings.dataset
    if counts.is_file():
        read, origin = read_json(counts), "of the corpus"
        entities, mentions = read["entities"], read["mentions"]
        splits = [own["split"] for own in read["worlds"].values()]
    elif dataset in NAMED_DATASETS and (published := find_source(dataset).published):
        origin, entities, mentions = "as published", published.entities, published.mentions
        splits = [world.split for world in published.worlds.values()]
    else:
        return None
    pairs = {one: entities[one] * mentions[one] / max(splits.count(one), 1) for one in SPLITS}
    whole = sum(entities.values())
    segment = Path(graph.segment["/manifest.json"].path)
    split = sum(read_json(segment)["sentences"].values()) if segment.is_file() else 0
    views = split / whole or VIEWS
    return Sizes(entities, mentions, pairs, whole, views, whole * PAGE_BYTES, 1, origin)


def _base_sizes(graph: KnowledgeBase) -> Sizes:
    linking, manifest = graph.linking, Path(graph.kb.path, "manifest.json")
    dump = Path(graph.raw.files[0])
    if manifest.is_file():
        whole, origin = read_json(manifest)["entities"], "of the knowledge base"
    else:
        published = find_source(graph.origins[0]).published
        whole, origin = published.entities["wikipedia"], "as published"
    made = whole * PAGE_BYTES if graph.of_one_archive else DUMP_BYTES
    text = dump.stat().st_size if dump.is_file() else made
    mentions = {name: _mentions(graph, name) for name in linking.sets}
    return Sizes(
        dict.fromkeys(mentions, whole),
        mentions,
        {name: whole * count for name, count in mentions.items()},
        whole,
        linking.kb.paragraphs,
        text,
        len(graph.parts) or ceil(text / linking.kb.part_bytes),
        origin,
    )


def _mentions(graph: KnowledgeBase, name: str) -> int:
    """Mentions of a set: those linked, else those published."""
    linked = Path(graph.mentions(name)[".parquet"].path)
    if linked.is_file():
        import pyarrow.parquet as pq  # a tenth of a second, which every Snakemake would wait

        return pq.read_metadata(linked).num_rows
    return find_source(graph.origins[1]).published.mentions.get(name, 0)
