"""Tests of the settings; ``PARAMS`` is params.yaml as it is in the repository."""

from pathlib import Path

from muver.reproduction.settings.file import read_params

PARAMS = read_params(Path(__file__).parents[3] / "params.yaml")
