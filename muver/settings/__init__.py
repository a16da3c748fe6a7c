"""What is run: params.yaml, checked and complete, and the settings of each stage."""

from muver.settings.resolve import NAMED_DATASETS, Settings, resolve
from muver.settings.rows import model_settings, retrieval_settings, row_settings

__all__ = [
    "NAMED_DATASETS",
    "Settings",
    "model_settings",
    "resolve",
    "retrieval_settings",
    "row_settings",
]
