"""Sizes of the encoder and the data: of the files here, else as published or asked for."""

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.reproduction.settings import NAMED_DATASETS
from muver.reproduction.workspace import Graph, KnowledgeBase, Worlds
from muver.retriever.corpus.knowledge_base import made_parts, open_part
from muver.retriever.corpus.sources import find_source
from muver.retriever.corpus.splits import SPLITS
from muver.retriever.encoders.hub import at_revision, cached
from muver.retriever.encoders.sizes import BertConfig

LOOKUP = 32  # bytes an entity: ids.npy 8, by_id.npy 8, by_title.npy 16
DUMP_BYTES = 37_323_265_802  # KILT's 34.76 GiB
MADE_PAGE = 1200  # bytes of a page of miniwikipedia
PUBLISHED = {
    "bert-base-uncased": BertConfig(),
    "bert-large-uncased": BertConfig(
        hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096
    ),
    "sentence-transformers/all-MiniLM-L6-v2": BertConfig(
        hidden_size=384, num_hidden_layers=6, intermediate_size=1536
    ),
}
COUNTED = {  # by the origin of a base's sizes
    "measured": "of the knowledge base",
    "projected": "projected from the parts made",
    "at most": "as published or asked for",
}


def encoder_sizes(graph: Graph, model: Path | None = None) -> tuple[BertConfig, str]:
    """Sizes of one tower, and where they are known from; those of a model or BERT, if given."""
    if model is not None:
        tower = model / "entity_encoder"
        config = (tower if tower.is_dir() else model) / "config.json"
        return BertConfig.from_file(config), str(model)
    name = graph.settings["encoder"]
    for folder in (graph.encoder.path, name):
        if (config := Path(folder, "config.json")).is_file():
            return BertConfig.from_file(config), folder
    if name == "scratch":
        made = graph.settings["scratch"]
        keys = ("vocabulary", "hidden", "layers", "heads", "intermediate", "positions")
        return BertConfig(*(made[key] for key in keys)), "the section scratch"
    if path := cached(name):
        return BertConfig.from_file(path), "the hub's cache"
    if published := PUBLISHED.get(at_revision(name)[0]):
        return published, "as published"
    return BertConfig(), "BERT-base, since the encoder is not here"


@dataclass(frozen=True)
class Counts:
    """Counts by split, or by set of mentions."""

    entities: dict[str, int]
    mentions: dict[str, int]
    pairs: dict[str, int]  # of a mention and an entity that it may mean
    origin: str  # where they are known from


def world_counts(graph: Worlds) -> Counts | None:
    """Counts of the corpus, else those asked for or published; None if they are not known."""
    settings, counts = graph.settings, Path(graph.corpus["/counts.json"].path)
    dataset = settings["dataset"]
    if counts.is_file():
        read = read_json(counts)
        pairs = dict.fromkeys(SPLITS, 0)
        for own in read["worlds"].values():
            pairs[own["split"]] += own["entities"] * own["mentions"]
        return Counts(read["entities"], read["mentions"], pairs, "of the corpus")
    if dataset == "miniwikia":
        made, origin = settings["generate"], "as params.yaml asks"
        worlds = {split: len(made["worlds"][split]) for split in SPLITS}
        entities = {split: worlds[split] * made["entities_per_world"] for split in SPLITS}
        mentions = made["mentions"]
    elif dataset in NAMED_DATASETS and (published := find_source(dataset).published):
        origin, entities, mentions = "as published", published.entities, published.mentions
        splits = [world.split for world in published.worlds.values()]
        worlds = {split: max(splits.count(split), 1) for split in SPLITS}
    else:
        return None
    pairs = {split: entities[split] * mentions[split] // worlds[split] for split in SPLITS}
    return Counts(entities, mentions, pairs, origin)


@dataclass(frozen=True)
class Base:
    """Sizes of a knowledge base."""

    entities: int
    segments: int  # paragraphs; an entity without any counts as one
    bytes: int  # of its parts and lookups
    dump_bytes: int
    parts: int  # expected of the dump
    origin: str  # "measured" if it is finished, "projected" from some parts, or "at most"
    mentions: dict[str, int]  # by set; 0 if nothing is published, until it is linked

    @property
    def counts(self) -> Counts:
        """As those of worlds: every mention may mean every entity."""
        pairs = {name: self.entities * count for name, count in self.mentions.items()}
        return Counts({}, self.mentions, pairs, COUNTED[self.origin])


def base_sizes(
    graph: KnowledgeBase,
    kb: Path | None = None,
    dump: Path | None = None,
    entities: int | None = None,
    dump_bytes: int | None = None,
) -> Base:
    """Sizes of the knowledge base and its sets.

    Without parts, ``segments = entities * paragraphs`` and ``bytes = dump_bytes + 32 * entities``:
    parts keep a selection of the dump's text, compressed, so they are smaller than it. With
    parts, these are counted, and 32 bytes an entity are added for the lookups.

    Parameters
    ----------
    kb, dump
        Where they lie; by default where the workflow puts them.
    entities, dump_bytes
        Expected sizes; by default as published, or as params.yaml asks.

    Raises
    ------
    InputError
        If the given ``kb`` has no parts, if one is damaged, or if there is no such ``dump``.
    """
    linking = graph.linking
    if not entities:
        published = find_source("kilt").published.entities["wikipedia"]
        entities = linking["generate"]["entities"] if graph.generated else published
    if dump is not None and not dump.is_file():
        raise InputError(f"{dump}: no such file.")
    if dump := dump or dump_file(graph):
        dump_bytes = dump.stat().st_size
    dump_bytes = dump_bytes or (entities * MADE_PAGE if graph.generated else DUMP_BYTES)
    folder = kb or Path(graph.kb.path)
    parts = [open_part(folder, number) for number in made_parts(folder)]
    counted = sum(part.entities for part in parts)
    if kb is not None and not counted:
        raise InputError(f"{kb}: has no parts with entities. `muver kb` makes them.")
    base = Base(
        entities,
        entities * linking["kb"]["paragraphs"],
        dump_bytes + LOOKUP * entities,
        dump_bytes,
        ceil(dump_bytes / linking["kb"]["part_bytes"]),
        "at most",
        {name: _mentions(graph, name) for name in linking["sets"]},
    )
    if not counted:
        return base
    return replace(
        base,
        entities=counted,
        segments=sum(part.segments for part in parts),
        bytes=sum(part.bytes for part in parts) + LOOKUP * counted,
        origin="measured",
    )


def dump_file(graph: Graph) -> Path | None:
    """The dump in the workspace; None where it is not, or where the data are worlds."""
    path = Path(graph.raw.files[0]) if isinstance(graph, KnowledgeBase) else None
    return path if path and path.is_file() else None


def _mentions(graph: KnowledgeBase, name: str) -> int:
    """Mentions of a set: those linked, else those asked for or published."""
    linked = Path(graph.mentions(name)[".parquet"].path)
    if linked.is_file():
        return pq.read_metadata(linked).num_rows
    published = find_source("blink_benchmarks").published.mentions
    return (graph.linking["generate"]["mentions"] if graph.generated else published).get(name, 0)
