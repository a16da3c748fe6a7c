"""Tests of the settings; ``PARAMS`` is params.yaml as it is in the repository."""

from pathlib import Path

from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.workspace import graph_of

PARAMS = read_params(Path(__file__).parents[3] / "params.yaml")


def graph(**overrides):
    """The graph of artifacts under these settings."""
    return graph_of(resolve(PARAMS, overrides))
