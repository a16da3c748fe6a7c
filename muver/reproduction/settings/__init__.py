"""What is run: params.yaml, checked and complete, and the settings of each stage."""

from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.resolve import NAMED_DATASETS, resolve
from muver.reproduction.settings.rows import model_settings, retrieval_settings, row_settings

__all__ = [
    "NAMED_DATASETS",
    "Resolved",
    "model_settings",
    "resolve",
    "retrieval_settings",
    "row_settings",
]
