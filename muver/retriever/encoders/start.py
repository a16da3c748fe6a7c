"""The checkpoint that training starts from: made from scratch, a directory, or from the hub."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from muver.io.errors import InputError
from muver.io.files import copy, read_json, sha256_of, write_manifest, write_text
from muver.io.progress import logger
from muver.io.typed import read
from muver.retriever.corpus.schema import read_entities
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.encoders_settings import FromScratch, Pretrained, Scratch
from muver.retriever.encoders.files import (
    MANIFEST_FILE,
    MODULES_FILE,
    START_FILES,
    TOKENIZER_FILE,
    TOWER_FILES,
    TOWERS,
    read_model_config,
)
from muver.retriever.encoders.hub import check_there, pinned, place, taken_model
from muver.retriever.encoders.own_pooling import SCRATCH
from muver.retriever.encoders.sizes import BertConfig
from muver.retriever.encoders.tokens import MARKERS

CHECKSUMS = {"weights_sha256": "model.safetensors", "tokenizer_sha256": TOKENIZER_FILE}
OF_LAYOUTS = [unused for unused, *_ in MARKERS.values()]
SPECIAL_PIECES = ["[PAD]", *OF_LAYOUTS, "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def make_start(
    source: str,
    out: Path,
    settings: Mapping[str, Any],
    entities: Path | None = None,
    counts: Path | None = None,
) -> None:
    """Make, take or fetch the encoder that both towers start from.

    Parameters
    ----------
    source
        ``scratch``, the name of an encoder that comes with this package, an encoder's directory, or
        a name on the hub.
    settings
        For ``scratch`` :class:`muver.retriever.encoders.encoders_settings.FromScratch`, else
        :class:`muver.retriever.encoders.encoders_settings.Pretrained`.
    entities, counts
        Outputs of the corpus stage: an encoder from scratch learns its vocabulary from the texts of
        the training worlds.
    """
    if source != "scratch":
        take_encoder(source, out, read(Pretrained, settings).pooling == "auto")
        return
    if entities is None or counts is None:
        raise InputError("--source scratch needs --entities and --counts (its vocabulary's texts).")
    scratch = read(FromScratch, settings)
    worlds = read_json(counts)["worlds"]
    training = [world for world, count in worlds.items() if count["split"] == "train"]
    texts = read_entities(entities, training)["text"].to_pylist()
    from_scratch(texts, scratch.scratch, scratch.seed, out, scratch.pooling == "auto")


def from_scratch(
    texts: Iterable[str], settings: Scratch, seed: int, out: Path, with_pooling: bool = False
) -> None:
    """Train a WordPiece vocabulary on ``texts`` and make a small BERT with random weights.

    With ``with_pooling``, the manifest also says how to pool, as ``vectors`` of the identity.
    """
    tokenizer = _train_word_pieces(texts, settings.vocabulary)
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / TOKENIZER_FILE, tokenizer.to_str(pretty=True))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        num_hidden_layers=settings.layers,
        hidden_size=settings.hidden,
        num_attention_heads=settings.heads,
        intermediate_size=settings.intermediate,
        max_position_embeddings=settings.positions,
        hidden_dropout_prob=settings.dropout,
        attention_probs_dropout_prob=settings.dropout,
        initializer_range=settings.initializer_range,
    )
    Bert(config).save(out)
    identity = {"scratch": dict(sorted(settings.as_dict().items())), "seed": seed}
    _finish(out, "scratch", identity, SCRATCH if with_pooling else None)


def take_encoder(source: str | Path, out: Path, with_pooling: bool = False) -> None:
    """Take an encoder from this package, a directory or the hub, with ``@REVISION`` if need be.

    With ``with_pooling``, the manifest also says how its makers pool
    (:mod:`muver.retriever.encoders.own_pooling`), as ``vectors`` of the encoder's identity. Only
    this and ``download`` may use the network.
    """
    source = str(source)
    check_there(source)
    folder, model = place(source), taken_model(source)
    known = _identity(folder)
    vectors = known.get("vectors") if with_pooling else None
    if model:
        vectors = _take_tower(model, out)
    elif "weights_sha256" in known and (vectors or not with_pooling):
        _copy(folder, out, known)
    else:
        if not folder.exists():
            logger.info("taking %s from the hub (or its local cache)", source)
        from muver.retriever.encoders.library import take  # takes seconds to import

        try:
            found = take(source, out, with_pooling)
            vectors = vectors or found
        except OSError as error:
            raise InputError(f"encoder {source!r}: cannot be had ({error}).") from error
    identity = {key: sha256_of(out / file) for key, file in CHECKSUMS.items()}
    name = folder.resolve().name if folder.is_dir() and not model else pinned(source)
    _finish(out, name, identity, vectors if with_pooling else None)


def _take_tower(model: Path, out: Path) -> dict[str, Any]:
    """Take a model's entity tower as an encoder; how its vectors are pooled."""
    config = read_model_config(model)
    for file in TOWER_FILES:
        copy(model / TOWERS[1] / file, out / file)
    copy(model / TOKENIZER_FILE, out / TOKENIZER_FILE)
    prompts = {"query": config.context.prompt or "", "passage": config.views.prompt or ""}
    return {"pooling": config.pooling, "normalised": bool(config.scale), **prompts}


def _identity(folder: Path) -> dict[str, Any]:
    """The identity in the manifest of an encoder that our stages wrote; else empty.

    Files of sentence-transformers were added by somebody else, and say more.
    """
    ours = all((folder / file).is_file() for file in START_FILES)
    if not ours or (folder / MODULES_FILE).is_file():
        return {}
    manifest = read_json(folder / MANIFEST_FILE)
    return manifest.get("identity", {}) if isinstance(manifest, dict) else {}


def _copy(folder: Path, out: Path, identity: Mapping[str, Any]) -> None:
    """Copy an encoder that was taken before, without the library, which takes seconds to import."""
    for file in (*TOWER_FILES, TOKENIZER_FILE):
        copy(folder / file, out / file)
    for key, file in CHECKSUMS.items():
        if identity[key] != sha256_of(out / file):
            raise InputError(
                f"{folder / file}: damaged, its SHA-256 is not the {key} of {MANIFEST_FILE}. Fetch "
                "the encoder again."
            )


def _finish(out: Path, name: str, identity: dict[str, Any], vectors: dict[str, Any] | None) -> None:
    """Write the manifest; its identity joins a row's settings, the encoder's origin does not."""
    if vectors:
        identity = {**identity, "vectors": vectors}
    write_manifest(out / MANIFEST_FILE, "encoder", {}, {}, name=name, identity=identity)


def _train_word_pieces(texts: Iterable[str], size: int) -> Tokenizer:
    """Train WordPiece so that the same texts give the same vocabulary, ids included.

    The trainer numbers the letters inside words ("##a") in the order of a hash map, which differs
    between processes, and breaks ties by these numbers. Special pieces are numbered as they are
    given, so we pass those letters as special pieces and keep only the resulting vocabulary.
    """
    texts = list(texts)
    teacher = _bert_tokenizer(models.WordPiece(unk_token="[UNK]"))
    inner = {f"##{letter}" for word in _words(teacher, texts) for letter in word[1:]}
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=[*SPECIAL_PIECES, *sorted(inner)], show_progress=False
    )
    teacher.train_from_iterator(texts, trainer)
    tokenizer = _bert_tokenizer(models.WordPiece(teacher.get_vocab(), unk_token="[UNK]"))
    tokenizer.add_special_tokens(SPECIAL_PIECES)
    return tokenizer


def _bert_tokenizer(model: models.WordPiece) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _words(tokenizer: Tokenizer, texts: Iterable[str]) -> set[str]:
    split, normalise = tokenizer.pre_tokenizer.pre_tokenize_str, tokenizer.normalizer.normalize_str
    return {word for text in texts for word, _ in split(normalise(text))}
