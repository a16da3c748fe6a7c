"""How an encoder's makers pool its states, from sentence-transformers' files in its directory.

``modules.json`` lists what follows the transformer: a pooling, whose ``config.json`` names the
states, perhaps linear layers, and perhaps a normalisation.
``config_sentence_transformers.json`` has the prompts that go before queries and passages.
(sbert.net, "Creating Custom Models"; as its version 6 reads them.)
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.io.typed import read_record
from muver.retriever.encoders.files import MODULES_FILE, PROMPTS_FILE

# Their names of the poolings that our towers have, and our names.
POOLINGS = {"cls": "cls", "mean": "all", "lasttoken": "last", "weightedmean": "weighted"}
# Up to their version 5 each pooling had a switch of its own.
SWITCHES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
FEWEST = ["Transformer", "Pooling"]
MODULES = (*FEWEST, "Dense", "Normalize")
ACTIVATIONS = ("Identity", "Tanh", "ReLU", "GELU", "SiLU", "Sigmoid")
PASSAGE = ("document", "passage", "corpus")  # names that a passage's prompt may have

# We choose for encoders from scratch: as most sentence encoders, the mean over all pieces.
SCRATCH = {"pooling": "all", "normalised": True, "query": "", "passage": ""}

Find = Callable[[str], Path | None]


class Module(msgspec.Struct):
    """An entry of modules.json; its type is such as ``sentence_transformers.models.Pooling``."""

    type: str
    path: str = ""


def own_pooling(find: Find, where: str, usual: str = "cls") -> dict[str, Any]:
    """What the pooling ``auto`` stands for: how the makers pool, and the prompts they put before
    texts.

    ``find`` maps a file's name to its path in the encoder, or None; ``where`` is the encoder as
    messages name it. An encoder without such files has the pooling ``usual``, and is neither
    normalised nor has it prompts.
    """
    modules = _modules(find, where)
    if not modules:
        logger.info("%s has no files of sentence-transformers: its pooling is %s", where, usual)
        return {"pooling": usual, "normalised": False, "query": "", "passage": ""}
    file = f"{modules['Pooling'][0]}/config.json"
    settings = _read(find, where, file, dict[str, Any])
    # The vectors of several poolings would be concatenated.
    modes = settings.get("pooling_mode") or [
        mode for switch, mode in SWITCHES.items() if settings.get(switch)
    ]
    modes = [modes] if isinstance(modes, str) else modes or ["mean"]
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise _refusal(where, file, modes, POOLINGS)
    prompts = {}
    if find(PROMPTS_FILE):
        prompts = _read(find, where, PROMPTS_FILE, dict[str, Any]).get("prompts") or {}
    prompted = {
        "query": prompts.get("query") or "",
        "passage": next((prompts[name] for name in PASSAGE if prompts.get(name)), ""),
    }
    if any(prompted.values()) and not settings.get("include_prompt", True):
        raise _refusal(where, file, ["include_prompt: false"], ["include_prompt: true"])
    found = {"pooling": POOLINGS[modes[0]], "normalised": "Normalize" in modules, **prompted}
    logger.info("%s: vectors as its files of sentence-transformers say: %s", where, found)
    return found


def own_dense(find: Find, where: str) -> list[tuple[dict[str, Any], Path]]:
    """Linear layers between pooling and normalisation: what each is like, and its weights."""
    layers = []
    for folder in _modules(find, where).get("Dense", []):
        config = _read(find, where, file := f"{folder}/config.json", dict[str, Any])
        activation = str(config.get("activation_function")).rpartition(".")[2]
        if activation not in ACTIVATIONS:
            raise _refusal(where, file, [activation], ACTIVATIONS)
        weights = find(f"{folder}/model.safetensors") or find(f"{folder}/pytorch_model.bin")
        if weights is None:
            raise InputError(f"{where}: no weights in {folder}, which its {MODULES_FILE} names.")
        layers.append(({**config, "activation_function": activation}, weights))
    return layers


def _modules(find: Find, where: str) -> dict[str, list[str]]:
    """The folders of the encoder's modules by kind, in order; empty without such files."""
    if find(MODULES_FILE) is None:
        return {}
    modules = _read(find, where, MODULES_FILE, list[Module])
    kinds = [module.type.rpartition(".")[2] for module in modules]
    if [kind for kind in kinds if kind != "Dense"] not in (FEWEST, [*FEWEST, "Normalize"]) or (
        kinds != sorted(kinds, key=MODULES.index)
    ):
        raise _refusal(where, MODULES_FILE, kinds, MODULES)
    folders: dict[str, list[str]] = {}
    for number, (kind, module) in enumerate(zip(kinds, modules, strict=True)):
        folders.setdefault(kind, []).append(module.path or f"{number}_{kind}")
    return folders


def _read(find: Find, where: str, name: str, kind: Any) -> Any:
    """The content of one of the encoder's files, which must be there."""
    file = find(name)
    if file is None:
        raise InputError(f"{where}: no {name} in it, which its {MODULES_FILE} asks for.")
    return read_record(file, kind, "what sentence-transformers writes", "Choose another encoder.")


def _refusal(where: str, file: str, found: list[str], known: Any) -> InputError:
    return InputError(
        f"{where}: its {file} asks for {', '.join(found)}; of this there is {', '.join(known)} "
        "here. Choose another encoder, or in the workflow a pooling by name (cls, all or last)."
    )
