"""Convert checkpoints of the released systems to model directories of ours."""

import pickle
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import shorten

import torch
from msgspec.structs import asdict
from torch import Tensor

from muver.io.errors import InputError
from muver.io.files import sha256_of, write_manifest, write_text
from muver.io.progress import logger
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.encoders_settings import Layouts, ModelConfig
from muver.retriever.encoders.files import MANIFEST_FILE, TOKENIZER_FILE, TOWERS
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


def convert(
    checkpoint: Path, encoder: str, settings: Layouts, out: Path, training_log: Path | None = None
) -> None:
    """Convert a released checkpoint (a pickled state dict of two towers) to a model.

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
        for name, weights in zip(TOWERS, towers, strict=True):
            try:
                getattr(model, name).load_state_dict(weights)
            except RuntimeError as error:
                raise InputError(
                    f"{checkpoint}: its {name} is not of the sizes of the encoder {encoder}. "
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
    if not isinstance(state, Mapping) or not all(isinstance(w, Tensor) for w in state.values()):
        raise InputError(
            f"{checkpoint}: not a state dict: expected weights by their names at the top level, "
            "and nothing else. Save model.state_dict() alone."
        )
    return dict(state)


def split_towers(state: State, checkpoint: Path) -> tuple[list[State], str]:
    """The two towers' weights under BERT's names, mentions' first, and the layout's name."""
    state = _unwrapped(state, WRAPPERS[:1])
    for layout, prefixes in LAYOUTS.items():
        towers = []
        for prefix in prefixes:
            weights = {n.removeprefix(prefix): w for n, w in state.items() if n.startswith(prefix)}
            towers.append(_unwrapped(weights, WRAPPERS))
        if all(towers) and sum(map(len, towers)) == len(state):
            used = [
                {n: w for n, w in tower.items() if not n.startswith(UNUSED)} for tower in towers
            ]
            return used, layout
    known = " or ".join(f"{first}* with {second}*" for first, second in LAYOUTS.values())
    raise InputError(
        f"{checkpoint}: its weights are not those of two towers. Expected {known}, and no others; "
        f"found {shorten(', '.join(sorted(state)), 400)}."
    )


def _unwrapped(state: State, wrappers: Sequence[str]) -> State:
    """Remove prefixes that all names have."""
    for prefix in wrappers:
        if state and all(name.startswith(prefix) for name in state):
            inner = {name.removeprefix(prefix): weight for name, weight in state.items()}
            return _unwrapped(inner, wrappers)
    return state
