"""The checkpoint that training starts from: made from scratch, a local directory, or the hub's."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoConfig, AutoTokenizer, BertConfig, BertModel

from muver.encoders.biencoder import save_tower
from muver.encoders.files import TOKENIZER_FILE, WEIGHT_FILES
from muver.encoders.tokens import WordPieces
from muver.errors import InputError
from muver.files import atomic_path, sha256_of, write_manifest
from muver.progress import logger

SPECIAL_PIECES = [
    "[PAD]",
    "[unused0]",
    "[unused1]",
    "[unused2]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
]


def from_scratch(texts: Iterable[str], settings: dict[str, Any], seed: int, out: Path) -> None:
    """Train a WordPiece vocabulary on ``texts`` and make a small BERT with random weights.

    Parameters
    ----------
    settings
        ``vocabulary`` (number of pieces), ``layers``, ``hidden``, ``heads``, ``intermediate``,
        ``positions``, ``dropout``.
    """
    tokenizer = _train_word_pieces(texts, settings["vocabulary"])
    out.mkdir(parents=True, exist_ok=True)
    with atomic_path(out / TOKENIZER_FILE) as temporary:
        tokenizer.save(str(temporary))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        num_hidden_layers=settings["layers"],
        hidden_size=settings["hidden"],
        num_attention_heads=settings["heads"],
        intermediate_size=settings["intermediate"],
        max_position_embeddings=settings["positions"],
        hidden_dropout_prob=settings["dropout"],
        attention_probs_dropout_prob=settings["dropout"],
    )
    save_tower(BertModel(config, add_pooling_layer=False), out)
    _finish(out, {"name": "scratch", **settings, "seed": seed}, with_weights=False)


def from_directory(source: Path, out: Path) -> None:
    """Take a BERT directory as it is: weights (safetensors or torch), configuration, tokenizer."""
    check_encoder(source)
    _take(str(source), source.resolve().name, out)


def from_hub(name: str, out: Path) -> None:
    """Download a BERT by its hub name. The only stage besides ``download`` that may use a network."""
    logger.info("taking %s from the hub (or its local cache)", name)
    try:
        _take(name, name, out)
    except OSError as error:
        raise InputError(
            f"encoder {name!r}: neither a directory here nor to be had from the hub. Check the "
            f"name and the network, or pass a directory with --config encoder=DIR. ({error})"
        ) from error


def check_encoder(folder: Path) -> None:
    """Refuse a directory that is no BERT, or has no weights or no vocabulary."""
    if not folder.is_dir():
        raise InputError(f"encoder {folder}: no such directory.")
    if not (folder / "config.json").is_file():
        raise InputError(
            f"encoder {folder}: no config.json in it. Expected a Hugging Face directory."
        )
    if not any((folder / file).is_file() for file in WEIGHT_FILES):
        raise InputError(
            f"encoder {folder}: no weights in it (looked for {', '.join(WEIGHT_FILES)})."
        )
    architecture = AutoConfig.from_pretrained(folder).model_type
    if architecture != "bert":
        raise InputError(
            f"encoder {folder}: its config.json says model_type {architecture!r}; both towers are "
            "BERTs. Choose a BERT-type encoder."
        )


def _take(source: str, name: str, out: Path) -> None:
    config = AutoConfig.from_pretrained(source)
    if config.model_type != "bert":
        raise InputError(f"encoder {name}: model_type is {config.model_type!r}, expected 'bert'.")
    tower = BertModel.from_pretrained(source, add_pooling_layer=False, dtype=torch.float32)
    save_tower(tower, out)
    tokenizer_file = Path(source) / TOKENIZER_FILE
    with atomic_path(out / TOKENIZER_FILE) as temporary:
        if tokenizer_file.is_file():
            shutil.copyfile(tokenizer_file, temporary)
        else:
            AutoTokenizer.from_pretrained(source).backend_tokenizer.save(str(temporary))
    _finish(out, {"name": name}, with_weights=True)


def _finish(out: Path, identity: dict[str, Any], with_weights: bool) -> None:
    WordPieces(out)  # refuses a vocabulary without the markers
    if with_weights:
        identity["weights_sha256"] = sha256_of(out / "model.safetensors")
    write_manifest(out / "manifest.json", "encoder", {}, {}, identity=identity)


def _train_word_pieces(texts: Iterable[str], size: int) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=SPECIAL_PIECES, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
