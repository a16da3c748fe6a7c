"""How large the encoder, the data and the sequences are: as they lie here, else as published."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from muver.corpus.kilt.parts import MadePart, made_parts, open_part
from muver.corpus.sources import find_source
from muver.corpus.splits import SPLITS
from muver.encoders.sizes import BertConfig
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.settings import NAMED_DATASETS
from muver.settings.linked import is_linked
from muver.workspace import LinkedWorkspace, Workspace

Settings = dict[str, Any]
SAMPLE = 300  # entities and mentions that are laid out
VIEWS = 15.33  # of an entity, on average: the paper's Table 3, for ZESHEL's test worlds
SAMPLED, AT_MOST = "those of a sample", "the most that settings allow"
LOOKUP = 32  # bytes an entity: ids.npy 8, by_id.npy 8, by_title.npy 16
DUMP_BYTES = 37_323_265_802  # KILT's 34.76 GiB
MADE_PAGE = 1200  # bytes of a page of miniwikipedia
PUBLISHED = {
    "bert-base-uncased": BertConfig(),
    "bert-large-uncased": BertConfig(
        hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096
    ),
}


def encoder_sizes(
    settings: Settings, folder: Path, model: Path | None = None
) -> tuple[BertConfig, str]:
    """Sizes of one tower, and where they are known from; those of a model or BERT, if given."""
    if model is not None:
        tower = model / "entity_encoder"
        return BertConfig.from_file((tower if tower.is_dir() else model) / "config.json"), str(
            model
        )
    name = settings["encoder"]
    for path in (folder / Workspace(settings).root / "start", folder / name):
        if (path / "config.json").is_file():
            own = str(path.relative_to(folder) if path.is_relative_to(folder) else path)
            return BertConfig.from_file(path / "config.json"), own
    if name == "scratch":
        made = settings["scratch"]
        return BertConfig(
            vocab_size=made["vocabulary"],
            hidden_size=made["hidden"],
            num_hidden_layers=made["layers"],
            num_attention_heads=made["heads"],
            intermediate_size=made["intermediate"],
            max_position_embeddings=made["positions"],
        ), "the section scratch"
    if path := hub_cache(name):
        return BertConfig.from_file(path), "the hub's cache"
    if name in PUBLISHED:
        return PUBLISHED[name], "as published"
    return BertConfig(), "BERT-base, since the encoder is not here"


def hub_cache(name: str) -> Path | None:
    """The config.json of an encoder in the hub's cache on this machine; None without its weights.

    Raises
    ------
    ValueError
        For a name that the hub could not have.
    """
    from huggingface_hub import try_to_load_from_cache

    config, *weights = (
        try_to_load_from_cache(name, file)
        for file in ("config.json", "model.safetensors", "pytorch_model.bin")
    )
    if isinstance(config, str) and any(isinstance(file, str) for file in weights):
        return Path(config)
    return None


@dataclass(frozen=True)
class Counts:
    """Counts of worlds.

    Attributes
    ----------
    entities, mentions
        By split.
    pairs
        By split, the sum over worlds of entities x mentions: what is compared.
    origin
        Where they are known from.
    """

    entities: dict[str, int]
    mentions: dict[str, int]
    pairs: dict[str, int]
    origin: str


def world_counts(settings: Settings, folder: Path) -> Counts | None:
    """Counts of the corpus, else those asked for or published; None if nobody knows them."""
    counts = folder / Workspace(settings).counts
    if counts.is_file():
        read = read_json(counts)
        pairs = dict.fromkeys(SPLITS, 0)
        for own in read["worlds"].values():
            pairs[own["split"]] += own["entities"] * own["mentions"]
        return Counts(read["entities"], read["mentions"], pairs, "of the corpus")
    if settings["dataset"] == "miniwikia":
        made, origin = settings["generate"], "as params.yaml asks"
        worlds = {split: len(made["worlds"][split]) for split in SPLITS}
        entities = {split: worlds[split] * made["entities_per_world"] for split in SPLITS}
        mentions = dict(made["mentions"])
    elif settings["dataset"] in NAMED_DATASETS:
        published, origin = find_source(settings["dataset"]).published, "as published"
        if published is None:
            return None
        entities, mentions = dict(published.entities), dict(published.mentions)
        splits = [world.split for world in published.worlds.values()]
        worlds = {split: max(splits.count(split), 1) for split in SPLITS}
    else:
        return None
    pairs = {split: entities[split] * mentions[split] // worlds[split] for split in SPLITS}
    return Counts(entities, mentions, pairs, origin)


@dataclass(frozen=True)
class Base:
    """Sizes of a knowledge base.

    Attributes
    ----------
    segments
        Paragraphs; an entity without any counts as one.
    bytes
        Of its parts and lookups.
    origin
        "measured" of a finished base; "projected" from the parts that are made; "at most": as many
        paragraphs as are kept, in no fewer bytes than the whole dump has.
    mentions
        By set; 0 for one of which nothing is published, until it is linked.
    """

    entities: int
    segments: int
    bytes: int
    dump_bytes: int
    origin: str
    mentions: dict[str, int]


def base_sizes(
    settings: Settings,
    folder: Path,
    kb: Path | None = None,
    dump: Path | None = None,
    entities: int | None = None,
    dump_bytes: int | None = None,
) -> Base:
    """Sizes of the knowledge base and its sets.

    Without parts, ``segments = entities * paragraphs`` and ``bytes = dump_bytes + 32 * entities``:
    parts keep a selection of the dump's text, compressed, so they are smaller than it. With ``e``,
    ``b`` and ``s`` the entities, bytes and segments of the parts there are, ``segments = entities *
    s / e`` and ``bytes = entities * b / e + 32 * entities``.

    Parameters
    ----------
    kb, dump
        Where they lie; by default where the workflow puts them.
    entities, dump_bytes
        What is expected; by default as published, or as params.yaml asks.

    Raises
    ------
    InputError
        If the given ``kb`` has no parts, if one is damaged, or if there is no such ``dump``.
    """
    workspace = LinkedWorkspace(settings)
    made = settings["linking"]["generate"] if settings["dataset"] == "miniwikipedia" else None
    expected = made["entities"] if made else find_source("kilt").published.entities["wikipedia"]
    entities = entities or expected
    if dump is not None and not dump.is_file():
        raise InputError(f"{dump}: no such file.")
    if dump := dump or dump_file(settings, folder):
        dump_bytes = dump.stat().st_size
    dump_bytes = dump_bytes or (entities * MADE_PAGE if made else DUMP_BYTES)
    parts = list(_parts(kb or folder / workspace.kb))
    counted = sum(part.entities for part in parts)
    if kb is not None and not counted:
        raise InputError(f"{kb}: has no parts with entities. `muver kb all` makes them.")
    base = Base(
        entities,
        entities * settings["linking"]["kb"]["paragraphs"],
        dump_bytes + LOOKUP * entities,
        dump_bytes,
        "at most",
        {name: _mentions(settings, folder, name) for name in settings["linking"]["sets"]},
    )
    if not counted:
        return base
    finished = ((kb or folder / workspace.kb) / "manifest.json").is_file()
    whole = counted if finished else entities
    return replace(
        base,
        entities=whole,
        segments=sum(part.segments for part in parts) * whole // counted,
        bytes=sum(part.bytes for part in parts) * whole // counted + LOOKUP * whole,
        origin="measured" if finished else "projected",
    )


def dump_file(settings: Settings, folder: Path) -> Path | None:
    """The dump in the workspace; None where it is not, or where the data are worlds."""
    path = folder / LinkedWorkspace(settings).dump
    return path if is_linked(settings) and path.is_file() else None


def _mentions(settings: Settings, folder: Path, name: str) -> int:
    """Mentions of a set: those linked, else those asked for or published."""
    linked = folder / LinkedWorkspace(settings).mentions_files(name)[0]
    if linked.is_file():
        return pq.read_metadata(linked).num_rows
    if settings["dataset"] == "miniwikipedia":
        return settings["linking"]["generate"]["mentions"].get(name, 0)
    return find_source("blink_benchmarks").published.mentions.get(name, 0)


def _parts(kb: Path) -> Iterator[MadePart]:
    """The parts that are made; only metadata are read."""
    return (open_part(kb, number) for number in made_parts(kb))


@dataclass(frozen=True)
class Lengths:
    """Means by which counts become tokens.

    Attributes
    ----------
    views
        Of an entity.
    tokens
        Of a view.
    training_views
        Of an entity in training.
    context
        Tokens of a mention's context.
    laying_out
        Seconds that laying out a view takes; 0 where no sample tells.
    origin
        Where they are known from.
    """

    views: float
    tokens: float
    training_views: float
    context: float
    laying_out: float = 0.0
    origin: str = AT_MOST


def world_lengths(settings: Settings, folder: Path, model: Mapping[str, Any]) -> Lengths:
    """Lengths under a model's layouts: of a sample where corpus, sentences and start are here.

    Parameters
    ----------
    model
        Its entry with ``views`` and ``context``.
    """
    workspace, views = Workspace(settings), model["views"]
    paths = [
        folder / file for file in (workspace.entities, workspace.mentions, workspace.sentences)
    ]
    start = folder / workspace.root / "start"
    if all(path.is_file() for path in (*paths, start / "tokenizer.json")):
        try:
            return _sampled_worlds(paths, start, model)
        except InputError:
            pass  # half of a corpus: the most that settings allow is said
    if views["kind"] == "sentences":
        origin = f"{AT_MOST}, with {VIEWS} views an entity (the paper's mean)"
        return replace(_at_most(model, VIEWS), origin=origin)
    return _at_most(model, 1.0)


def base_lengths(
    settings: Settings,
    folder: Path,
    model: Mapping[str, Any],
    base: Base,
    kb: Path | None = None,
    start: Path | None = None,
) -> Lengths:
    """Lengths of views of a knowledge base: of its first entities where these and start are here.

    Paragraphs are views of kind "sentences"; of kind "prefix" an entity has one.
    """
    workspace, views = LinkedWorkspace(settings), model["views"]
    count = base.segments / base.entities if views["kind"] == "sentences" else 1.0
    lengths = _at_most(model, count)
    start = start or folder / workspace.root / "start"
    if not (start / "tokenizer.json").is_file():
        return lengths
    for part in _parts(kb or folder / workspace.kb):
        for batch in part.batches(("title", "paragraphs"), SAMPLE):
            if batch.num_rows:
                titles, paragraphs = (batch.column(n).to_pylist() for n in ("title", "paragraphs"))
                texts = [" ".join(some) for some in paragraphs]
                counts, tokens, took = _lay_out(titles, texts, paragraphs, None, views, start)
                return replace(lengths, tokens=tokens, laying_out=took, origin=SAMPLED)
    return lengths


def _at_most(model: Mapping[str, Any], count: float) -> Lengths:
    """The most that settings allow, for so many views an entity."""
    views = model["views"]
    used = min(count, views.get("training_views") or count)
    return Lengths(count, views["max_tokens"], used, model["context"]["max_tokens"])


def _sampled_worlds(paths: list[Path], start: Path, model: Mapping[str, Any]) -> Lengths:
    from muver.corpus.schema import read_entities, read_mentions, read_sentences
    from muver.encoders.tokens import WordPieces
    from muver.views.worlds import context_ids

    mentions = read_mentions(paths[1], "test").slice(0, SAMPLE)
    if not mentions.num_rows:
        raise InputError("no mentions in split 'test'.")
    world = mentions["world"][0].as_py()
    entities = read_entities(paths[0], [world]).slice(0, SAMPLE)
    sentences = read_sentences(paths[2], [world])["sentences"].slice(0, SAMPLE)
    columns = (entities[name].to_pylist() for name in ("title", "text", "type"))
    titles, texts, types = columns
    counts, tokens, took = _lay_out(
        titles, texts, sentences.to_pylist(), types, model["views"], start
    )
    used = np.minimum(counts, model["views"].get("training_views") or counts.max())
    ids = context_ids(mentions, WordPieces(start), model["context"]["max_tokens"])
    return Lengths(
        float(counts.mean()),
        tokens,
        float(used.mean()),
        float(np.mean([len(own) for own in ids])),
        took,
        SAMPLED,
    )


def _lay_out(
    titles: list[str],
    texts: list[str],
    sentences: list[list[str]],
    types: list[str | None] | None,
    views: Mapping[str, Any],
    start: Path,
) -> tuple[np.ndarray, float, float]:
    """(entities,) numbers of views, a view's mean length, and the seconds that one takes."""
    from muver.encoders.tokens import WordPieces
    from muver.views.build import entity_views

    pieces = WordPieces(start)
    started = time.perf_counter()
    laid_out = list(entity_views(titles, texts, sentences, dict(views), pieces, types))
    took = time.perf_counter() - started
    counts = np.array([len(some) for some in laid_out])
    tokens = float(np.mean([len(view.ids) for some in laid_out for view in some]))
    return counts, tokens, took / counts.sum()


def sizes_as_dict(encoder: BertConfig) -> dict[str, int]:
    """What of an encoder's sizes the estimates depend on."""
    kept = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
            "intermediate_size", "max_position_embeddings")  # fmt: skip
    return {name: value for name, value in asdict(encoder).items() if name in kept}
