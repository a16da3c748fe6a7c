# The checked settings, the files of each stage, and the helpers that the rules share.
import json
import os
import shlex
import sys
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from muver.corpus.sources import find_source
from muver.io.errors import InputError
from muver.grid.points import points
from muver.workspace.guard import check_records
from muver.settings import model_settings, resolve, retrieval_settings, row_settings
from muver.io.typed import overlay
from muver.settings.file import read_params
from muver.settings.replaced import without_effect
from muver.settings.linked import is_linked
from muver.settings.rows import (
    merge_settings,
    negatives_settings,
    system_of,
    table_row,
    trained_as,
)
from muver.workspace import LinkedWorkspace, Workspace, code, needs_of

try:
    read_params("params.yaml")  # Snakemake's own reading lets a key stand twice
    S = resolve(config, workflow.config_settings.overwrite_config)
    LINKED = is_linked(S)
    W = LinkedWorkspace(S) if LINKED else Workspace(S)
    RAW = [] if LINKED else W.raw_files()
    POINTS = points(S["grid"])
except InputError as error:
    raise WorkflowError(str(error)) from None

if workflow.is_main_process:  # and not by every job again
    since = os.environ.get("DVC_EXP_BASELINE_REV", "HEAD")
    for told in without_effect(Path("params.yaml"), S["preset"], since):
        logger.warning(f"params.yaml: {told}")

ROOT = W.root
LOGS = f"logs/{S['workspace']}"
SPLIT = S["retrieve"]["split"]
COMPUTE = S["compute"]
ENCODING = {key: value for key, value in COMPUTE.items() if key != "training_precision"}
GPUS = W.gpus  # a job that runs a model takes the one `gpu` that the profile gives out


# Kinds of models, systems and tables, each with rules of its own.
CHOSEN = [name for name, model in S["models"].items() if "best_of" in model]
CONVERTED = [name for name, model in S["models"].items() if "checkpoint" in model]
TRAINED = [name for name in S["models"] if name not in CHOSEN and name not in CONVERTED]
FUSED = [name for name, system in S["systems"].items() if "fuse" in system]
LEXICAL = [name for name, system in S["systems"].items() if "retriever" in system]
TOKENS = [
    name
    for name, system in S["systems"].items()
    if "model" in system and trained_as(S, system["model"])["score"] == "sum_max"
]
STORED = [name for name in S["systems"] if name not in {*FUSED, *LEXICAL, *TOKENS}]
COMPARISONS = [name for name in S["tables"] if name not in ("table2", "table3", "table6")]
RECORDED = [table for table in S["results"] if table in (*COMPARISONS, "table2", "table3", "grid")]


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
    """Settings of a stage that encodes, as one JSON string."""
    return as_json({**values, **ENCODING})


def launcher():
    """What starts a training job: one process, or torchrun with several."""
    if COMPUTE["processes"] == 1:
        return "muver"
    return f"torchrun --standalone --nproc-per-node {COMPUTE['processes']} -m muver.cli"


TRAIN = (
    f"{launcher()} train"
    " --log {log} --label {params.label} --settings {params.settings:q}"
    " --compute {params.compute:q} --start {params.start} --entities {input.entities}"
    " --mentions {input.mentions} --sentences {input.sentences} --checkpoints {params.checkpoints}"
)


def folder_of(name, ancestor=1, option=""):
    """The folder of a rule's input files of this name, after an option; empty without files."""

    def params(wildcards, input):
        files = input.get(name)
        return f"{option} {Path(files[0]).parents[ancestor - 1]}".strip() if files else ""

    return params


def one_of(names):
    """A wildcard constraint: one of the names; without any it matches nothing."""
    return "|".join(names) or "(?!)"


wildcard_constraints:
    split="test|val",
    model=one_of(S["models"]),
    system=one_of(S["systems"]),
    search=one_of(S["merge"]["searches"]),
    point=one_of(POINTS),
