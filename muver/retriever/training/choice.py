"""Choose the best of several trained models by recall on validation."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from muver.io.files import atomic_path, write_text
from muver.io.progress import logger
from muver.retriever.encoders.files import MODEL_FILES
from muver.retriever.training.log import VALIDATION, kept_validation

LOG = "training_log.jsonl"


def choose(models: Iterable[tuple[str, Path]], cutoff: int, out: Path) -> None:
    """Copy the model with the best validation recall@``cutoff``; if equal, the first one.

    The copy's log ends with a line that names the models and their recall. ``models`` are names and
    directories of models with their training logs.
    """
    folders = dict(models)
    found = {name: kept_validation(folder / LOG, cutoff)[0] for name, folder in folders.items()}
    chosen = max(found, key=found.__getitem__)  # max takes the first of equals
    for file in MODEL_FILES:
        with atomic_path(out / file) as temporary:
            shutil.copyfile(folders[chosen] / file, temporary)
    note = {"chosen": chosen, f"{VALIDATION}{cutoff}_of": found}
    log = (folders[chosen] / LOG).read_text(encoding="utf-8")
    write_text(out / LOG, f"{log}{json.dumps(note)}\n")
    for name, recall in found.items():
        logger.info("%s: validation recall@%d %.2f", name, cutoff, recall)
    logger.info("chosen: %s", chosen)
