"""How an encoder's makers pool its states, from sentence-transformers' files in its directory.

``modules.json`` lists what follows the transformer: a pooling, whose ``config.json`` names the
states, and perhaps a normalisation. ``config_sentence_transformers.json`` has the prompts that go
before queries and passages. (sbert.net, "Creating Custom Models"; as its version 6 reads them.)
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.progress import logger
from muver.retriever.encoders.files import MODULES_FILE, POOLING_FILE, PROMPTS_FILE

# Their names of the poolings that our towers have, and our names.
POOLINGS = {"cls": "cls", "mean": "all", "lasttoken": "last"}
# Up to their version 5 each pooling had a switch of its own.
SWITCHES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
MODULES = ("Transformer", "Pooling", "Normalize")
PASSAGE = ("document", "passage", "corpus")  # names that a passage's prompt may have

# We choose for encoders from scratch: as most sentence encoders, the mean over all pieces.
SCRATCH = {"pooling": "all", "normalised": True, "query": "", "passage": ""}

Find = Callable[[str], Path | None]


def own_pooling(find: Find, where: str) -> dict[str, Any]:
    """Find out what the pooling ``auto`` stands for.

    Parameters
    ----------
    find
        Maps a file's name to its path in the encoder; None if there is no such file.
    where
        The encoder, as messages name it.

    Returns ------- ``pooling`` (:mod:`muver.retriever.encoders.pooling`), ``normalised``, and the
    prompts of a ``query`` and a ``passage``. Without such files: ``[CLS]``, not normalised, without
    prompts.
    """
    modules = find(MODULES_FILE)
    if modules is None:
        logger.info("%s has no files of sentence-transformers: its vectors are [CLS]'s", where)
        return {"pooling": "cls", "normalised": False, "query": "", "passage": ""}
    kinds = [_kind(module, modules) for module in _read(modules, list)]
    if tuple(kinds) not in (MODULES, MODULES[:2]):
        raise _refusal(where, MODULES_FILE, kinds, MODULES)
    file = find(POOLING_FILE)
    if file is None:
        raise InputError(f"{where}: no {POOLING_FILE} in it, which its {MODULES_FILE} asks for.")
    settings = _read(file, dict)
    modes = _modes(settings)
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise _refusal(where, POOLING_FILE, modes, POOLINGS)
    prompts = _prompts(find(PROMPTS_FILE))
    if any(prompts.values()) and not settings.get("include_prompt", True):
        raise _refusal(where, POOLING_FILE, ["include_prompt: false"], ["include_prompt: true"])
    found = {"pooling": POOLINGS[modes[0]], "normalised": kinds[-1] == "Normalize", **prompts}
    logger.info("%s: vectors as its files of sentence-transformers say: %s", where, found)
    return found


def _kind(module: Any, file: Path) -> str:
    """The last part of a module's type, such as ``sentence_transformers.models.Pooling``."""
    if not isinstance(module, dict) or not isinstance(module.get("type"), str):
        raise InputError(f"{file}: expected a list of modules, each with its type.")
    return module["type"].rpartition(".")[2]


def _modes(settings: dict[str, Any]) -> list[str]:
    """Names of the poolings that are asked for; the vectors of several would be concatenated."""
    asked = settings.get("pooling_mode")
    if asked is None:
        return [mode for switch, mode in SWITCHES.items() if settings.get(switch)] or ["mean"]
    return asked if isinstance(asked, list) else [str(asked)]


def _prompts(file: Path | None) -> dict[str, str]:
    prompts = (_read(file, dict) if file else {}).get("prompts") or {}
    passages = (prompts[name] for name in PASSAGE if prompts.get(name))
    return {"query": prompts.get("query") or "", "passage": next(passages, "")}


def _read(file: Path, kind: type) -> Any:
    content = read_json(file)
    if not isinstance(content, kind):
        raise InputError(f"{file}: not what sentence-transformers writes there.")
    return content


def _refusal(where: str, file: str, found: list[str], known: Any) -> InputError:
    return InputError(
        f"{where}: its {file} asks for {', '.join(found)}; of this there is {', '.join(known)} "
        "here. Choose another encoder, or a pooling by name (cls, all or last)."
    )
