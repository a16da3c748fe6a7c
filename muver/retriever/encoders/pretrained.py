"""Read BERTs in any form that Hugging Face's library reads: a directory, or a name on the hub.

No other module imports the library, which takes seconds; what is read is kept in our own form.
"""

from pathlib import Path

import torch
from huggingface_hub import _CACHED_NO_EXIST, hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError
from safetensors import SafetensorError
from transformers import AutoConfig, AutoTokenizer, BertModel
from transformers.utils import logging as transformers_logging

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.retriever.encoders.bert import Bert, BertConfig
from muver.retriever.encoders.hub import at_revision

# Weights that a tower does not use: the pooling layer and training heads.
UNUSED_WEIGHTS = ("pooler.", "cls.", "embeddings.position_ids")

transformers_logging.disable_progress_bar()


def read_tower(source: str) -> Bert:
    """Read a BERT without its pooling layer, in float32.

    Parameters
    ----------
    source
        A directory, or a hub name, perhaps with a revision (``NAME@REVISION``).

    Raises
    ------
    InputError
        If it is not a BERT, or some weights are damaged, missing (the library would draw those at
        random) or not of the sizes in config.json.
    OSError
        If the hub has no such name or cannot be reached.
    """
    where = f"encoder {source}"
    name, revision = at_revision(source)
    try:
        raw = AutoConfig.from_pretrained(name, revision=revision).to_dict()
    except ValueError as error:  # the model_type is missing, or unknown to the library
        raise InputError(f"{where}: {error}") from error
    tower = Bert(BertConfig.from_dict(raw, f"{where}: its config.json"))
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()  # we check below what it would report
    try:
        loaded, report = BertModel.from_pretrained(
            name,
            revision=revision,
            add_pooling_layer=False,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except (RuntimeError, SafetensorError) as error:
        raise InputError(f"{where}: its weights cannot be loaded ({error}).") from error
    finally:
        transformers_logging.set_verbosity(verbosity)
    if missing := sorted(report["missing_keys"]):
        raise InputError(
            f"{where}: {len(missing)} weights are missing, the first is {missing[0]!r}. "
            "Expected the weights of a whole BERT."
        )
    unknown = [
        name
        for name in sorted(report["unexpected_keys"])
        if not name.removeprefix("bert.").startswith(UNUSED_WEIGHTS)
    ]
    if unknown:
        logger.warning("%s: %d weights not used: %s", source, len(unknown), ", ".join(unknown))
    tower.load_state_dict(loaded.state_dict())
    return tower


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
        raise InputError(
            f"encoder {source}: pooling auto needs to know its {name}, if it has one, and that is "
            "not in the hub's cache here. Run once with the network, or set pooling to cls."
        ) from error
    except EntryNotFoundError:
        return None


def write_tokenizer(source: str, path: Path) -> None:
    """Write a tokenizer of an older form (vocab.txt) as tokenizer.json."""
    name, revision = at_revision(source)
    AutoTokenizer.from_pretrained(name, revision=revision).backend_tokenizer.save(str(path))
