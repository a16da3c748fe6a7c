"""The fingerprint of a model, which its vectors' manifests name (imports nothing heavy)."""

from pathlib import Path

from muver.io.files import read_json, sha256_of, short_hash
from muver.retriever.encoders.files import CONFIG_FILE, OF_TOWERS, TOKENIZER_FILE


def model_fingerprint(folder: str | Path) -> str:
    """64 hexadecimal digits that differ between models whose vectors may differ.

    They depend on both towers' configurations and weights, the tokenizer, and every key of
    ``muver.json`` but its provenance, and not on the model's place.
    """
    folder = Path(folder)
    config = read_json(folder / CONFIG_FILE)
    layouts = {key: value for key, value in config.items() if key != "provenance"}
    files = {name: sha256_of(folder / name) for name in (TOKENIZER_FILE, *OF_TOWERS)}
    return short_hash({"layouts": layouts, "files": files}, 64)
