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
LOGS = f"logs/{S['workspace']}"
COMPUTE = S["compute"]
GPUS = W.gpus  # a job that runs a model takes the one `gpu` that the profile gives out


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
    return as_json({**values, **COMPUTE})


def launcher():
    """What starts a training job: one process, or torchrun with several."""
    if COMPUTE["processes"] == 1:
        return "muver"
    return f"torchrun --standalone --nproc-per-node {COMPUTE['processes']} -m muver.cli"


def folder_of(name, ancestor=1, option=""):
    """The folder of a rule's input files of this name, after an option; empty without files."""

    def params(wildcards, input):
        files = input.get(name)
        return f"{option} {Path(files[0]).parents[ancestor - 1]}".strip() if files else ""

    return params


def one_of(names):
    """A wildcard constraint: one of the names; without any it matches nothing."""
    return "|".join(names) or "(?!)"


def retrieval(wildcards):
    """A system's retrieval settings as one JSON string."""
    return as_json(retrieval_settings(S, wildcards.system))


def merged_layers(wildcards):
    """Merged layers of a system's model, where the system uses them."""
    system = S["systems"][wildcards.system]
    return W.merged_files(system["model"]) if system.get("merge_layers", 0) else []


def store(wildcards):
    """View store of a system's model."""
    return W.store_files(S["systems"][wildcards.system]["model"])


def model(wildcards):
    """Files of a system's model."""
    return W.model_files(S["systems"][wildcards.system]["model"])


def rows(table):
    """A table's rows, in its order, as one JSON string."""
    named = [{"method": S["systems"][s]["method"], "system": s} for s in S["tables"][table]]
    return as_json({"rows": named})


def artifacts(table):
    """The training log of each row that has a model, as SYSTEM=FILE."""
    models = {s: S["systems"][s].get("model") for s in S["tables"][table]}
    return [f"{s}={ROOT}/models/{m}/training_log.jsonl" for s, m in models.items() if m]


def prune(folder):
    """The command that removes from a folder what params.keep does not name."""
    return f"muver prune --log {{log}} --folder {ROOT}/{folder} --keep {{params.keep}}"


wildcard_constraints:
    model=one_of(S["models"]),
    system=one_of(S["systems"]),
