"""Read and write the vectors of a set's mentions, with a manifest of their origin."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of, write_manifest
from muver.io.matrices import load_matrix, save_matrix
from muver.retriever.vectors.shards import Shards

STAGE = "encode-mentions"


def write_mentions(
    path: str | Path,
    vectors: np.ndarray,
    model: str,
    mentions: str,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write vectors, then their manifest under the same name with ``.json``.

    Parameters
    ----------
    vectors : (mentions, d) float32
    mentions
        SHA-256 of the table of mentions, which has the same order.
    """
    path = Path(path)
    path.with_suffix(".json").unlink(missing_ok=True)
    save_matrix(path, vectors)
    write_manifest(
        path.with_suffix(".json"),
        STAGE,
        settings or {},
        {"model": model, "mentions": mentions},
        dtype=str(vectors.dtype),
        dimension=int(vectors.shape[1]),
        mentions=len(vectors),
    )


def read_mentions(
    path: str | Path, shards: Shards, mentions: str | Path | None = None
) -> np.ndarray:
    """Read mention vectors to compare with the views of ``shards``: (mentions, d) float32.

    They must be of the views' model and, unless None is given, of the table ``mentions``.
    """
    path = Path(path)
    vectors = np.array(load_matrix(path, "Encode the mentions again."))
    check_mentions(vectors, shards, path)
    inputs = _inputs(path)
    if inputs["model"] != shards.model:
        raise InputError(
            f"{path}: vectors of another model ({inputs['model'][:12]}) than the views in "
            f"{shards.folder} ({shards.model[:12]}). Encode the mentions with the views' model."
        )
    if mentions is not None and inputs["mentions"] != sha256_of(mentions):
        raise InputError(
            f"{path}: {len(vectors)} vectors of another table of mentions than {mentions}. Encode "
            "the mentions again."
        )
    return np.ascontiguousarray(vectors, dtype=np.float32)


def check_mentions(mentions: np.ndarray, shards: Shards, path: str | Path) -> None:
    """Refuse mention vectors whose dimension is not that of the views."""
    if mentions.ndim != 2 or mentions.shape[1] != shards.dimension:
        raise InputError(
            f"{path}: vectors of shape {mentions.shape}, the views in {shards.folder} have "
            f"{shards.dimension} dimensions. Encode the mentions with the views' model."
        )


def _inputs(path: Path) -> Mapping[str, str]:
    """Fingerprints of the model and of the table, from the manifest beside the vectors."""
    place = path.with_suffix(".json")
    if not place.is_file():
        raise InputError(
            f"{place}: no such file; only it says which model made {path.name}. Encode "
            "the mentions with `muver encode-mentions`."
        )
    manifest = read_json(place)
    if not isinstance(manifest, dict) or manifest.get("stage") != STAGE:
        raise InputError(
            f"{place}: not the manifest of mention vectors. Encode the mentions with "
            "`muver encode-mentions`."
        )
    inputs: Mapping[str, str] = manifest["inputs"]
    return inputs
