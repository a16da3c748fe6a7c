"""The stage that writes the built-in data, in either format."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muver.io.typed import read
from muver.retriever.corpus.miniwikia.kilt_writer import generate_kilt
from muver.retriever.corpus.miniwikia.writer import generate
from muver.retriever.corpus.settings import Generate, GenerateKilt


def write(shape: str, folder: Path, settings: Mapping[str, Any], workers: int) -> None:
    """Write ZESHEL's format (``zeshel``), or KILT's with BLINK's benchmarks (``kilt``)."""
    if shape == "kilt":
        generate_kilt(read(GenerateKilt, settings), folder, workers)
    else:
        generate(read(Generate, settings), folder)
