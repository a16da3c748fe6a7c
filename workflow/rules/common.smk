# The checked settings, the files of each stage, and the helpers that the rules share.
import json
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from muver.errors import InputError
from muver.guard import check_records
from muver.settings import model_settings, resolve, retrieval_settings, row_settings
from muver.workspace import Workspace, code

try:
    S = resolve(config, workflow.config_settings.overwrite_config)
    W = Workspace(S)
    RAW = W.raw_files()
except InputError as error:
    raise WorkflowError(str(error)) from None

ROOT = W.root


def section(*names):
    """Sections of the settings as one JSON string.

    One string, because Snakemake compares separate values as an unordered set, in which swapping
    two numbers would go unnoticed.
    """
    return as_json({name: S[name] for name in names})


def as_json(value):
    """A value as the stages' --settings takes it."""
    return json.dumps(value, sort_keys=True)


def with_compute(**values):
    """Settings of a stage that runs a model, as one JSON string."""
    return as_json({**values, **S["compute"]})


def one_of(names):
    """A wildcard constraint: one of the names; without any it matches nothing."""
    return "|".join(names) or "(?!)"


wildcard_constraints:
    model=one_of(S["models"]),
    system=one_of(S["systems"]),
