"""Encoders that Hugging Face's library computes, and how any encoder is taken.

No other module imports the library, which takes seconds. What is taken is written in the library's
own layout, with the layers that sentence-transformers puts after the pooling among the weights.
"""

import errno
import inspect
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers
from huggingface_hub import _CACHED_NO_EXIST, hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, StrictDataclassError
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer
from torch import Tensor, nn
from transformers import AutoConfig, AutoTokenizer, PretrainedConfig, PreTrainedModel
from transformers.models.auto import modeling_auto as known
from transformers.utils import logging as transformers_logging

from muver.io.errors import InputError, disk_errors
from muver.io.files import atomic_path
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.bulk import Packed
from muver.retriever.encoders.files import MODULES_FILE, TOKENIZER_FILE, TOWER_FILES
from muver.retriever.encoders.hub import NotCached, at_revision
from muver.retriever.encoders.own_pooling import own_dense, own_pooling
from muver.retriever.encoders.sizes import BertConfig, is_packed
from muver.retriever.encoders.tokens import MARKERS, read_tokenizer
from muver.retriever.encoders.towers import Tower

# Names of the library's models by type; those of encoders go without a decoder, as T5's.
ENCODERS = known.MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES
MODELS = {**known.MODEL_MAPPING_NAMES, **ENCODERS}
DENSE = "dense."  # before the names of the weights of layers after the pooling
WEIGHTS = "model.safetensors"

transformers_logging.disable_progress_bar()
transformers_logging.set_verbosity_error()  # what it would report of weights is checked here


class Library(Tower):
    """A model of the library over padded batches, and perhaps layers after the pooling.

    Batches are padded on the right, whatever side the tokenizer pads on: what is attended and its
    positions are then those of the sequence alone, in a bidirectional model and in a causal one.
    ``config.dense`` lists the layers after the pooling as sentence-transformers' files do.
    """

    def __init__(self, model: PreTrainedModel):
        super().__init__()
        if getattr(model, "pooler", None) is not None:
            model.pooler = None  # its output is not used
        config = model.config
        self.model, self.dense = model, nn.Sequential()
        self.dimension, self.positions = config.hidden_size, _positions(model)
        for layer in getattr(config, "dense", []):
            self.dimension, bias = layer["out_features"], layer.get("bias", True)
            self.dense.append(nn.Linear(layer["in_features"], self.dimension, bias))
            self.dense.append(getattr(nn, layer["activation_function"])())

    def states(self, batch: Packed) -> Tensor:
        """States of the last layer at every token: (tokens, size)."""
        padding = self.model.config.pad_token_id or 0
        ids = batch.unpack(batch.ids).masked_fill(batch.mask == 0, padding)
        output = self.model(input_ids=ids, attention_mask=batch.attended.long())
        return output.last_hidden_state[batch.rows, batch.positions]

    def project(self, pooled: Tensor) -> Tensor:
        """(..., size) to (..., dimension)"""
        return self.dense(pooled)

    def save(self, folder: Path) -> None:
        """Write the library's files, with the further layers among the weights."""
        folder.mkdir(parents=True, exist_ok=True)
        with (
            disk_errors(folder / WEIGHTS, "This file is as it was."),
            tempfile.TemporaryDirectory(prefix=".", suffix=".tmp", dir=folder) as temporary,
        ):
            path = Path(temporary, WEIGHTS)
            further = self.dense.state_dict(prefix=DENSE)
            try:
                self.model.save_pretrained(temporary)
                if further:
                    save_file({**load_file(path), **further}, path, {"format": "pt"})
            except SafetensorError as error:  # a full disk's is one
                raise OSError(errno.EIO, str(error)) from error
            for file in TOWER_FILES:
                with atomic_path(folder / file) as written:
                    os.replace(Path(temporary, file), written)

    @classmethod
    def load(cls, folder: Path) -> "Library":
        """Load what :meth:`save` wrote."""
        tower = cls(_load(str(folder), read_config(str(folder))))
        if len(tower.dense):
            weights = load_file(folder / WEIGHTS).items()
            dense = {k.removeprefix(DENSE): value for k, value in weights if k.startswith(DENSE)}
            tower.dense.load_state_dict(dense)
        return tower

    @classmethod
    def empty(cls, folder: Path) -> "Library":
        """A tower of the sizes in ``config.json``, with new weights."""
        config = read_config(str(folder))
        return cls(_class(config)(config))


def take(source: str, out: Path, with_pooling: bool) -> dict[str, Any] | None:
    """Write an encoder as a tower, with its tokenizer, to a directory.

    What cannot be done is refused before any weights are read. ``source`` is a directory, or a hub
    name, perhaps with a revision (``NAME@REVISION``). ``with_pooling`` also takes the makers'
    layers after the pooling, and returns what :func:`.own_pooling.own_pooling` finds.
    """
    where, find = f"encoder {source}", partial(find_file, source)
    config = read_config(source)
    vectors = own_pooling(find, where, usual_pooling(config)) if with_pooling else None
    layers = own_dense(find, where) if with_pooling else []
    config.dense = [layer for layer, _ in layers]
    packed = is_packed(config.to_dict())
    own_file = Path(source, TOKENIZER_FILE)
    as_it_is = packed and own_file.is_file()
    tokenizer = read_tokenizer(own_file) if as_it_is else _tokenizer(source)
    model = _load(source, config)
    added = _add_markers(tokenizer, model)
    with atomic_path(out / TOKENIZER_FILE) as temporary:
        if as_it_is and not added:
            shutil.copyfile(own_file, temporary)
        else:
            temporary.write_bytes(tokenizer.to_str(pretty=True).encode("utf-8"))
    library = Library(model)
    for number, (_, file) in enumerate(layers):
        _fill(library.dense[2 * number], file)
    if packed:
        tower = Bert(BertConfig.from_dict(model.config.to_dict()))
        tower.load_state_dict(model.state_dict())
        tower.save(out)
    else:
        library.save(out)
    return vectors


def read_config(source: str) -> PretrainedConfig:
    """The configuration of an encoder that a tower can be; any other is refused by its type."""
    where, (name, revision) = f"encoder {source}", at_revision(source)
    try:
        config = AutoConfig.from_pretrained(name, revision=revision, trust_remote_code=False)
    except (ValueError, StrictDataclassError) as error:  # a missing or unknown model_type, too
        raise InputError(f"{where}: {error}") from error
    lacks = _lacks(config)
    if lacks:
        raise InputError(
            f"{where}: its config.json says model_type {config.model_type!r}, which {lacks}. "
            "Choose another encoder."
        )
    return config


def _lacks(config: PretrainedConfig) -> str | None:
    """What a model is missing that a tower needs; None if nothing."""
    raw = config.to_dict()
    position = raw.get("position_embedding_type")
    if "AutoModel" in raw.get("auto_map", {}):
        return "needs program code of its own, which is never run"
    if config.model_type not in MODELS:
        return "AutoModel does not load"
    if config.is_encoder_decoder and config.model_type not in ENCODERS:
        return "has a decoder, without which the library does not load it"
    if "vocab_size" not in raw or config.get_text_config() is not config:
        return "does not read tokens alone"
    if position not in (None, "absolute", "rotary"):
        return f"has position_embedding_type {position!r}, which the library no longer computes"
    if "attention_mask" not in inspect.signature(_class(config).forward).parameters:
        return "takes no attention_mask, so the other sequences of a batch would change a vector"
    return None


def _class(config: PretrainedConfig) -> type[PreTrainedModel]:
    name = MODELS[config.model_type]
    return getattr(transformers, name if isinstance(name, str) else name[0])


def usual_pooling(config: PretrainedConfig) -> str:
    """How to pool an encoder whose makers do not say: by ``[CLS]`` if it learnt one.

    A causal model has read everything at its last piece; T5 has no piece before the text.
    """
    if config.model_type in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return "cls"
    return "last" if config.model_type in known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES else "all"


def _positions(model: PreTrainedModel) -> int | None:
    """The longest sequence. RoBERTa's table of positions begins after the padding's."""
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding):
            unused = 0 if module.padding_idx is None else module.padding_idx + 1
            return module.num_embeddings - unused
    return getattr(model.config, "max_position_embeddings", None)


def _load(source: str, config: PretrainedConfig) -> PreTrainedModel:
    """Read weights in float32; the library would draw missing ones at random."""
    where, (name, revision) = f"encoder {source}", at_revision(source)
    try:
        model, report = _class(config).from_pretrained(
            name, config=config, revision=revision, dtype=torch.float32, output_loading_info=True
        )
    except (RuntimeError, ValueError, LookupError, SafetensorError) as error:
        raise InputError(f"{where}: its weights cannot be loaded ({error}).") from error
    missing = sorted(name for name in report["missing_keys"] if not name.startswith("pooler."))
    if missing:
        raise InputError(
            f"{where}: {len(missing)} weights are missing, the first is {missing[0]!r}. "
            "Expected the weights of a whole encoder."
        )
    if hasattr(model.config, "use_cache"):
        model.config.use_cache = False  # keys and values for text that would be generated
    return model


def _fill(layer: nn.Module, path: Path) -> None:
    """Read the weights of a linear layer from sentence-transformers' file."""
    try:
        if path.suffix == ".safetensors":
            weights = load_file(path)
        else:
            weights = torch.load(path, map_location="cpu", weights_only=True)
        layer.load_state_dict({n.removeprefix("linear."): weight for n, weight in weights.items()})
    except Exception as error:  # the kind of error depends on where the file was cut
        raise InputError(f"{path}: not the weights of its layer ({error}).") from error


def _tokenizer(source: str) -> Tokenizer:
    """The tokenizer as the library sets it up: with its special tokens and its padding."""
    name, revision = at_revision(source)
    try:
        loaded = AutoTokenizer.from_pretrained(name, revision=revision, trust_remote_code=False)
    except (ValueError, ImportError) as error:
        raise InputError(f"encoder {source}: its tokenizer cannot be loaded ({error}).") from error
    tokenizer = getattr(loaded, "backend_tokenizer", None)
    if tokenizer is None:
        raise InputError(
            f"encoder {source}: its {type(loaded).__name__} is not one of the library tokenizers, "
            f"so it has no {TOKENIZER_FILE}. Choose another encoder."
        )
    if tokenizer.token_to_id("[PAD]") is None and tokenizer.padding is None:
        pad = loaded.pad_token or loaded.eos_token or tokenizer.id_to_token(0)
        tokenizer.enable_padding(pad_id=tokenizer.token_to_id(pad), pad_token=pad)
    return tokenizer


@torch.no_grad()
def _add_markers(tokenizer: Tokenizer, model: PreTrainedModel) -> bool:
    """Add the markers that a vocabulary lacks; each starts as the mean of its words' embeddings."""
    words = {}
    for unused, special, text in MARKERS.values():
        if tokenizer.token_to_id(unused) is None and tokenizer.token_to_id(special) is None:
            words[special] = tokenizer.encode(text, add_special_tokens=False).ids
    tokenizer.add_special_tokens([AddedToken(piece, normalized=False) for piece in words])
    ids = {tokenizer.token_to_id(piece): of_words for piece, of_words in words.items()}
    if max(ids, default=0) >= model.get_input_embeddings().num_embeddings:
        model.resize_token_embeddings(max(ids) + 1, mean_resizing=False)
    table = model.get_input_embeddings().weight
    for number, of_words in ids.items():
        table[number] = table[of_words].mean(dim=0)
    return bool(ids)


def find_file(source: str, name: str) -> Path | None:
    """The path of one of the encoder's files; None if it has no such file."""
    if (folder := Path(source)).is_dir():
        return folder / name if (folder / name).is_file() else None
    repository, revision = at_revision(source)
    try:
        return Path(hf_hub_download(repository, name, revision=revision))
    except LocalEntryNotFoundError as error:
        if try_to_load_from_cache(repository, name, revision=revision) is _CACHED_NO_EXIST:
            return None
        kind = NotCached if name == MODULES_FILE else InputError
        raise kind(
            f"encoder {source}: pooling auto needs to know its {name}, if it has one, and that is "
            "not in the hub's cache here. Run once with the network, or name a directory that has "
            "it (in the workflow also pooling: cls)."
        ) from error
    except EntryNotFoundError:
        return None
