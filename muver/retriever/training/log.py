"""Training logs, and the choice of the best of several trained models by them.

A log has a JSON line for each step and each validation, and notes on the whole run.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from muver.io.errors import InputError, read_errors
from muver.io.files import copy, write_text
from muver.io.progress import logger
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.runs.manifest import Chosen

LOG = "training_log.jsonl"
VALIDATION = "validation_recall_at_"
LAST = "last_step"  # key in the last note of a run that kept its last state


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a training log for steps and validations, without the notes."""
    return [line for line in _lines(path) if "step" in line]


def kept_validation(path: Path, cutoff: int) -> tuple[float, int]:
    """Recall on validation, in percent, of the state that training kept, and its step.

    If the best state is kept, that is the first step with the greatest recall: a later one must
    find strictly more, but than the start.
    """
    key, lines = f"{VALIDATION}{cutoff}", _lines(path)
    found = [(line[key], line["step"]) for line in lines if key in line]
    if not found:
        raise InputError(
            f"{path}: no {key} in it. The cutoff must be the training.validation_cutoff that the "
            "model was trained with."
        )
    if any(LAST in line for line in lines):
        return found[-1]
    return max(found, key=lambda pair: (pair[0], pair[1] > 0, -pair[1]))


def told_validation(path: Path) -> tuple[int, float]:
    """The cutoff of validation and the kept state's recall there, in percent, as a note tells."""
    recalls = {
        key: value for line in _lines(path) if "step" not in line for key, value in line.items()
    }
    key = next(key for key in recalls if re.fullmatch(rf"[a-z]+_{VALIDATION}[0-9]+", key))
    return int(key.rpartition("_")[2]), recalls[key]


def recall_after(path: Path, share: float, cutoff: int) -> float | None:
    """Recall on validation, in percent, after a share of the steps; None if none was counted."""
    lines = read_log(path)
    step = math.ceil(share * max(line["step"] for line in lines))
    name = f"{VALIDATION}{cutoff}"
    return next((line[name] for line in lines if line["step"] == step and name in line), None)


def choose(models: Iterable[tuple[str, Path]], cutoff: int, out: Path) -> None:
    """Choose one of several trained models by validation recall.

    It is copied; of equal ones the first is chosen.

    The copy's log ends with a line that names the models and their recall. ``models`` are names and
    directories of models with their training logs.
    """
    folders = dict(models)
    found = {name: kept_validation(folder / LOG, cutoff)[0] for name, folder in folders.items()}
    note = choice(found, cutoff)
    copy_chosen(folders[note["chosen"]], out, out / LOG, note)


def copy_chosen(folder: Path, out: Path, training_log: Path, note: Mapping[str, Any]) -> None:
    """Copy a model, and its log with the note of :func:`choice` as a further line."""
    for file in MODEL_FILES:
        copy(folder / file, out / file)
    log = (folder / LOG).read_text(encoding="utf-8")
    write_text(training_log, log + json.dumps(note) + "\n")


def choice(found: Mapping[str, float], cutoff: int) -> dict[str, Any]:
    """The note in a log on a choice among models by their validation recall@``cutoff``.

    ``chosen`` is the name with the greatest recall; of equals, the first.
    """
    chosen = max(found, key=found.__getitem__)
    logger.info("validation recall@%d: %s; chosen: %s", cutoff, found, chosen)
    return {"chosen": chosen, f"{VALIDATION}{cutoff}_of": dict(found)}


def chosen_model(log: Path, row: Mapping[str, Any]) -> Chosen:
    """The model of a row that :func:`choose` took, from the log that it wrote.

    Beside each model's name stands its pooling; for ``auto`` it is the encoder's.
    """
    note = next((line for line in _lines(log) if "chosen" in line), None)
    if note is None:
        raise InputError(f"{log}: does not say which model was chosen. Run `muver stage choose`.")
    names = {}
    for name, model in row["model"]["best_of"].items():
        auto = model["pooling"] == "auto"
        pooling = row["encoder"]["vectors"]["pooling"] if auto else model["pooling"]
        names[name] = f"{name} (pooling {pooling})"
    ((key, recall_of),) = ((key, value) for key, value in note.items() if key != "chosen")
    cutoff = int(key.removeprefix(VALIDATION).removesuffix("_of"))
    return Chosen("model", names[note["chosen"]], [names[name] for name in recall_of], cutoff)


def write_log(
    path: Path, log: list[dict[str, Any]], cutoff: int, keep: str, step: int, *notes: dict[str, Any]
) -> None:
    """Write the training log as JSON lines: steps, validations, the kept state's step, ``notes``.

    It holds no times: if a run repeats exactly, as on a CPU, so do the log's bytes
    (docs/fidelity.md, "Equal bytes").
    """
    name = f"{VALIDATION}{cutoff}"
    recall = next(line[name] for line in log if name in line and line["step"] == step)
    lines = [*log, {f"{keep}_step": step, f"{keep}_{name}": recall}, *notes]
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))


def _lines(path: Path) -> list[dict[str, Any]]:
    with read_errors(path, "Run the training again.", "not a training log"):
        # A diverged training logs NaN, which json reads.
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
