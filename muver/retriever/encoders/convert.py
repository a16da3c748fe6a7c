"""Convert checkpoints of the released systems to model directories of ours."""

import pickle
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import shorten

import torch
from msgspec.structs import asdict
from torch import Tensor

from muver.io.errors import InputError
from muver.io.files import sha256_of, write_manifest, write_text
from muver.io.progress import logger
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import MANIFEST_FILE, TOKENIZER_FILE, TOWERS
from muver.retriever.encoders.settings import Layouts, ModelConfig
from muver.retriever.encoders.start import take_encoder

State = dict[str, Tensor]
# Prefixes of the weights of the mention tower and of the entity tower.
LAYOUTS = {
    "muver": ("ctx_encoder.", "ent_encoder."),
    "blink": ("context_encoder.", "cand_encoder."),
}
# Modules that may wrap a BERT; removed if all names of a tower begin with them.
WRAPPERS = ("module.", "bert_model.", "bert.")
UNUSED = ("pooler.", "embeddings.position_ids")
SHOWN = 3


def convert(
    checkpoint: Path,
    encoder: str,
    settings: Layouts,
    out: Path,
    training_log: Path | None = None,
) -> None:
    """Write a model directory from a pickled state dict of two towers.

    Its ``manifest.json`` has the ``identity`` of the weights, which becomes part of a row's key.

    Parameters
    ----------
    checkpoint
        Output of ``torch.save(model.state_dict())`` in one of :data:`LAYOUTS`. Code in it is never
        run.
    encoder
        BERT directory or hub name with the towers' sizes and tokenizer.
    training_log
        Receives one line with the checkpoint's SHA-256, in place of a training run's lines.
    """
    towers, layout = split_towers(read_state(checkpoint), checkpoint)
    sha256 = sha256_of(checkpoint)
    provenance = {"converted_from": {"sha256": sha256, "layout": layout}}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        take_encoder(encoder, folder)
        config = ModelConfig(**asdict(settings), provenance=provenance)
        model = BiEncoder.from_encoder(folder, config)
        for name, (prefix, weights) in zip(TOWERS, towers, strict=True):
            try:
                getattr(model, name).load_state_dict(weights)
            except RuntimeError as error:
                raise InputError(
                    f"{checkpoint}: the weights {prefix}* are not those of the encoder {encoder}. "
                    f"{shorten(str(error), 400)}. Pass the encoder whose config.json has the "
                    "checkpoint's sizes."
                ) from None
        model.save_pretrained(out)
    identity = {
        "checkpoint_sha256": sha256,
        "layout": layout,
        "tokenizer_sha256": sha256_of(out / TOKENIZER_FILE),
    }
    write_manifest(out / MANIFEST_FILE, "convert", settings.as_dict(), {}, identity=identity)
    if training_log is not None:
        write_text(training_log, f'{{"converted_from": "{sha256}"}}\n')
    logger.info("%s: two towers of the layout %r converted", checkpoint.name, layout)


def read_state(checkpoint: Path) -> State:
    """Read a pickled state dict without ever running code."""
    if not checkpoint.is_file():
        raise InputError(f"{checkpoint}: no such file.")
    try:
        state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise InputError(
            f"{checkpoint}: not a pickled state dict, or one that holds more than tensors; such "
            "a file could run code and is not opened. Save model.state_dict() alone."
        ) from error
    except Exception as error:  # the kind of error depends on where the file was cut
        raise InputError(
            f"{checkpoint}: damaged, or not a file of torch.save ({error}). Fetch it again."
        ) from error
    weights = state.values() if isinstance(state, Mapping) else [None]
    if not all(isinstance(one, Tensor) for one in weights):
        raise InputError(
            f"{checkpoint}: not a state dict: expected weights by their names at the top level, "
            "and nothing else. Save model.state_dict() alone."
        )
    return dict(state)


def split_towers(state: State, checkpoint: Path) -> tuple[list[tuple[str, State]], str]:
    """Sort weights into the two towers by the names of one of :data:`LAYOUTS`.

    Returns
    -------
    Of the mention tower and of the entity tower the prefix that its weights had, and the weights
    under BERT's own names; the layout's name.
    """
    wrapper, names = _unwrap(state, WRAPPERS[:1])
    fitting = [
        (layout, prefixes)
        for layout, prefixes in LAYOUTS.items()
        if all(any(name.startswith(prefix) for name in names) for prefix in prefixes)
    ]
    if not fitting:
        known = ", ".join(f"{first}* with {second}*" for first, second in LAYOUTS.values())
        raise InputError(
            f"{checkpoint}: its weights are not those of two towers. Expected names such as "
            f"{known}; found {_some(sorted(state))}."
        )
    layout, prefixes = fitting[0]
    strangers = [wrapper + name for name in names if not name.startswith(prefixes)]
    if strangers:
        raise InputError(
            f"{checkpoint}: {len(strangers)} weights belong to neither tower: {_some(strangers)}."
        )
    towers = []
    for prefix in prefixes:
        own = {n.removeprefix(prefix): w for n, w in names.items() if n.startswith(prefix)}
        inner, weights = _unwrap(own, WRAPPERS)
        used = {name: w for name, w in weights.items() if not name.startswith(UNUSED)}
        towers.append((wrapper + prefix + inner, used))
    return towers, layout


def _unwrap(state: State, wrappers: Sequence[str]) -> tuple[str, State]:
    """Remove prefixes that all names have; return what was removed and the renamed weights."""
    taken = ""
    while True:
        common = [w for w in wrappers if all(name.startswith(w) for name in state)]
        if not common:
            return taken, state
        taken += common[0]
        state = {name.removeprefix(common[0]): weight for name, weight in state.items()}


def _some(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
