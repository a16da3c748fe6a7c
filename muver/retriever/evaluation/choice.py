"""Read from the log of `muver stage choose` which of several trained models a row has."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.retriever.runs.manifest import Chosen
from muver.retriever.training.log import VALIDATION, read_notes


def chosen_model(log: Path, row: Mapping[str, Any]) -> Chosen:
    """The choice, with each model's pooling beside its name; for ``auto`` it is the encoder's."""
    note = next((one for one in read_notes(log) if "chosen" in one), None)
    if note is None:
        raise InputError(
            f"{log}: says of no model that it was chosen. Run `muver stage choose` again."
        )
    names = {}
    for name, own in row["model"]["best_of"].items():
        auto = own["pooling"] == "auto"
        pooling = row["encoder"]["vectors"]["pooling"] if auto else own["pooling"]
        names[name] = f"{name} (pooling {pooling})"
    ((key, recall),) = ((key, own) for key, own in note.items() if key != "chosen")
    cutoff = int(key.removeprefix(VALIDATION).removesuffix("_of"))
    return Chosen("model", names[note["chosen"]], [names[one] for one in recall], cutoff)
