"""The encoder that the package comes with, made anew: ``make encoder`` runs this.

A small BERT from scratch, pre-trained on the texts of miniwikia's training worlds, is written to
``miniwikia-bert`` beside the code that takes it. The default preset starts from it.
"""

import subprocess
from pathlib import Path
from typing import Any

from muver.reproduction.settings.file import written
from muver.reproduction.settings.resolve import settings_in
from muver.reproduction.workspace import graph_of
from muver.retriever.encoders.hub import SHIPPED
from muver.retriever.encoders.start import take_encoder

SETTINGS: dict[str, Any] = {
    "preset": "miniwikia",
    "encoder": "scratch",
    "training": {"initial_scale": 5},
    "pretrain": {"steps": 10000},  # docs/fidelity.md says how it was chosen
}


def main() -> None:
    """Make the encoder in build/, as any setting is made there, and take it from there."""
    start = graph_of(settings_in(Path(), SETTINGS)).start
    command = ["snakemake", "--cores", "all", *start.files, "--config", *written(SETTINGS)]
    subprocess.run(command, check=True)
    take_encoder(start.path, SHIPPED["miniwikia-bert"], with_pooling=True)


if __name__ == "__main__":
    main()
