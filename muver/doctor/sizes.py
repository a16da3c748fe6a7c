"""How large the encoder and the data are: as far as they are here, else as far as is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from muver.corpus.sources import find_source
from muver.corpus.splits import SPLITS
from muver.doctor.inputs import cached
from muver.encoders.sizes import BertConfig
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.settings import NAMED_DATASETS
from muver.workspace import Workspace

SAMPLE = 300  # entities and mentions that are laid out
VIEWS = 15.33  # of an entity, on average: the paper's Table 3, for ZESHEL's test worlds
SIZES = (
    "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
    "max_position_embeddings",
)  # fmt: skip


def encoder_sizes(settings: Mapping[str, Any], folder: Path) -> tuple[dict[str, int], str]:
    """Sizes of one tower, and where they are known from."""
    start = folder / Workspace(dict(settings)).root / "start" / "config.json"
    own = folder / settings["encoder"] / "config.json"
    for path in (start, own):
        if path.is_file():
            return _sizes(BertConfig.from_file(path)), str(path.relative_to(folder))
    if settings["encoder"] == "scratch":
        made = settings["scratch"]
        return {
            "vocab_size": made["vocabulary"],
            "hidden_size": made["hidden"],
            "num_hidden_layers": made["layers"],
            "num_attention_heads": made["heads"],
            "intermediate_size": made["intermediate"],
            "max_position_embeddings": made["positions"],
        }, "the section scratch"
    if cached(settings["encoder"]):
        from huggingface_hub import try_to_load_from_cache

        path = Path(str(try_to_load_from_cache(settings["encoder"], "config.json")))
        return _sizes(BertConfig.from_file(path)), "the hub's cache"
    return _sizes(BertConfig()), "BERT-base, since the encoder is not here"


def _sizes(config: Any) -> dict[str, int]:
    return {name: getattr(config, name) for name in SIZES}


@dataclass(frozen=True)
class Data:
    """Counts of the dataset.

    Attributes
    ----------
    entities, mentions
        By split.
    pairs
        By split, the sum over worlds of entities x mentions, which are compared.
    origin
        Where they are known from.
    """

    entities: dict[str, int]
    mentions: dict[str, int]
    pairs: dict[str, int]
    origin: str


def data_counts(settings: dict[str, Any], folder: Path) -> Data | None:
    """Counts of the corpus, or those that are published or asked for; None if nobody knows them."""
    counts = folder / Workspace(settings).counts
    if counts.is_file():
        read = read_json(counts)
        pairs = dict.fromkeys(SPLITS, 0)
        for own in read["worlds"].values():
            pairs[own["split"]] += own["entities"] * own["mentions"]
        return Data(read["entities"], read["mentions"], pairs, "of the corpus")
    if settings["dataset"] == "miniwikia":
        made = settings["generate"]
        worlds = {split: len(made["worlds"][split]) for split in SPLITS}
        entities = {split: worlds[split] * made["entities_per_world"] for split in SPLITS}
        mentions = dict(made["mentions"])
    elif settings["dataset"] in NAMED_DATASETS:
        published = find_source(settings["dataset"]).published
        if published is None:
            return None
        entities, mentions = dict(published.entities), dict(published.mentions)
        of = [world.split for world in published.worlds.values()]
        worlds = {split: max(of.count(split), 1) for split in SPLITS}
    else:
        return None
    pairs = {split: entities[split] * mentions[split] // worlds[split] for split in SPLITS}
    origin = "as params.yaml asks" if settings["dataset"] == "miniwikia" else "as published"
    return Data(entities, mentions, pairs, origin)


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
    origin
        "sample" of this corpus, or "at most".
    """

    views: float
    tokens: float
    training_views: float
    context: float
    origin: str


def lengths(settings: dict[str, Any], model: Mapping[str, Any], folder: Path) -> Lengths:
    """Lengths under a model's layouts: of a sample, where corpus, sentences and start are here."""
    workspace = Workspace(settings)
    views, longest = model["views"], settings["context"]["max_tokens"]
    paths = [
        folder / file for file in (workspace.entities, workspace.mentions, workspace.sentences)
    ]
    start = folder / workspace.root / "start"
    if all(path.is_file() for path in paths) and (start / "tokenizer.json").is_file():
        try:
            return _sampled(paths, start, views, longest)
        except InputError:
            pass  # half of a corpus: what is known without it is said
    many = VIEWS if views["kind"] == "sentences" else 1.0
    most = views.get("training_views") or many
    return Lengths(many, views["max_tokens"], min(many, most), longest, "at most")


def _sampled(paths: list[Path], start: Path, views: Mapping[str, Any], longest: int) -> Lengths:
    from muver.corpus.schema import read_entities, read_mentions, read_sentences
    from muver.encoders.tokens import WordPieces
    from muver.views.build import entity_views
    from muver.views.worlds import context_ids

    pieces = WordPieces(start)
    mentions = read_mentions(paths[1], "test").slice(0, SAMPLE)
    if not mentions.num_rows:
        raise InputError("no mentions in split 'test'.")
    world = mentions["world"][0].as_py()
    entities = read_entities(paths[0], [world]).slice(0, SAMPLE)
    laid_out = list(
        entity_views(
            entities["title"].to_pylist(),
            entities["text"].to_pylist(),
            read_sentences(paths[2], [world])["sentences"].slice(0, SAMPLE).to_pylist(),
            dict(views),
            pieces,
            entities["type"].to_pylist(),
        )
    )
    counts = np.array([len(some) for some in laid_out])
    tokens = np.mean([len(view.ids) for some in laid_out for view in some])
    most = views.get("training_views") or counts.max()
    context = np.mean([len(ids) for ids in context_ids(mentions, pieces, longest)])
    used = np.minimum(counts, most)
    return Lengths(
        float(counts.mean()), float(tokens), float(used.mean()), float(context), "sample"
    )
