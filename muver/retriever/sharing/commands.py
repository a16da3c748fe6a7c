"""What ``muver export`` and ``muver push`` do: a model's directory as other libraries load it."""

import shutil
import tempfile
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import folder_beside, write_text
from muver.io.progress import logger
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import CONFIG_FILE, MODEL_FILES, is_model
from muver.retriever.encoders.hub import push_folder
from muver.retriever.sharing.card import card_of
from muver.retriever.sharing.towers import write_towers


def export(model: Path, *, to: Path) -> None:
    """Write a model so that sentence-transformers loads it to the same vectors, with its card.

    The folder is a model of that library, each of its two towers is one by itself, and muver takes
    it as any model's directory.

    Parameters
    ----------
    model
        A model's directory; in a project's folder also a name of params.yaml's models.
    to
        Folder to write.
    """
    if to.exists():
        raise InputError(f"{to}: is there already. Remove it, or name another folder.")
    with folder_beside(to) as temporary:
        write_export(model, temporary, to.name)
        temporary.rename(to)
    logger.info("%s: for sentence-transformers, and a model of muver", to)


def push(model: Path, name: str, *, private: bool = False) -> None:
    """Upload a model to the hub as `muver export` writes it.

    `--model OWNER/NAME` of an index and `encoder: OWNER/NAME` take it back. The token is that of
    `hf auth login`, or HF_TOKEN. An index is pushed from Python: Index.push_to_hub.

    Parameters
    ----------
    model
        A model's directory; in a project's folder also a name of params.yaml's models.
    name
        OWNER/NAME.
    private
        Nobody else may see the model, if the name is new.
    """
    with tempfile.TemporaryDirectory() as folder:
        write_export(model, Path(folder), name)
        push_folder(Path(folder), name, private)


def write_export(model: Path, folder: Path, name: str) -> None:
    """Write the same into a folder that is there; ``name`` is what the card calls it."""
    if not is_model(model):
        raise InputError(f"{model}: no model's directory, which has {CONFIG_FILE} and two towers.")
    loaded = BiEncoder.from_pretrained(model)
    for file in MODEL_FILES:
        if (model / file).is_file():
            (folder / file).parent.mkdir(exist_ok=True)
            shutil.copyfile(model / file, folder / file)
    write_towers(loaded, folder)
    write_text(folder / "README.md", card_of(loaded, model, name))
