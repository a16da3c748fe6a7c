# The checked settings, the graph of artifacts, and the helpers that the rules share.
import json
import os
import shlex
import time
from contextlib import suppress
from functools import reduce
from operator import getitem
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.io import sourcecache_entry
from snakemake.logging import logger

from muver.retriever.corpus.sources import find_source
from muver.retriever.encoders import hub
from muver.reproduction.doctor.cluster import check_image, check_slurm
from muver.io.errors import InputError
from muver.io.typed import overlay
from muver.retriever.retrieval.kinds import runs_a_model
from muver.reproduction.settings import resolve
from muver.reproduction.settings.rows import kind_of
from muver.reproduction.settings.file import (
    config_of,
    params_file,
    read_params,
    without_effect,
    written,
)
from muver.reproduction.settings.resolve import typed
from muver.reproduction.terminal.follow import Follower
from muver.reproduction.workspace import KnowledgeBase, graph_of
from muver.reproduction.workspace import code as code_of
from muver.reproduction.workspace.current import link
from muver.reproduction.workspace.graph import CROSS, tokens_of
from muver.reproduction.workspace.knowledge_base import PART
from muver.reproduction.workspace.dvc import write_ignored
from muver.reproduction.workspace.locking import names_the_holder
from muver.reproduction.workspace.results import Results, record_settings


def raised(work, *given):
    """What a function returns; its InputError as Snakemake's own, which it shows without a trace."""
    try:
        return work(*given)
    except InputError as error:
        raise WorkflowError(str(error)) from None


# Read here and not by `configfile:`, which is slow and ignores mistakes such as a repeated key.
PARAMS = raised(read_params, params_file())
# The command line's --default-storage-provider, such as s3.
STORAGE = workflow.storage_settings.default_storage_provider


def overrides():
    """Settings in place of params.yaml's: what a workflow hands on that uses this one as a module.

    Else the command line's, and below them config/config.yaml of a folder without a params.yaml.
    """
    if not workflow.modifier.is_main_snakefile():
        return config
    return overlay(config_of(), workflow.config_settings.overwrite_config)


def code(rule):
    """Files of the code that decide a rule's output: sources, which are in no storage.

    `local` would say so too, but then the jobs could run on this machine only.
    """
    return [sourcecache_entry(file, file) for file in code_of(rule)]


def here(path):
    """Where a file or folder of the project lies on this machine: there, or a copy of storage's."""
    return str(workflow.inputfile(path))


def stored(*files):
    """Further inputs, which a rule reads beside those it names; a storage has to fetch them."""
    return list(files) if STORAGE else []


S = raised(lambda: resolve(PARAMS, overrides()))
W = raised(graph_of, S)
raised(lambda: W.by_place)


def check_encoder():
    """Refuse an encoder that nobody has; warn of a hub that cannot be asked from this machine.

    A dry run may plan for another one. A run that needs the encoder ends before its first job.
    """
    hub.check_form(S.encoder)
    try:
        hub.check_there(S.encoder)
    except InputError as error:
        if not (hub.is_offline() or error.__cause__):
            raise
        logger.warning(str(error))


if workflow.is_main_process and not Path(here(W.encoder.files[-1])).exists():
    raised(check_encoder)

ROOT = W.root
TABLES = Results(W)  # and figures
LOGS, RESULTS = TABLES.logs, TABLES.folder
COMPUTE = S.compute
# Priority of what comes after a training: before any other one, so that rows are there early.
AFTERWARDS = 10**9
ONE_BASE = isinstance(W, KnowledgeBase)
GPUS = W.gpus  # that a job which runs a model asks for, in each process


if workflow.is_main_process:  # not again in every job
    since = os.environ.get("DVC_EXP_BASELINE_REV", "HEAD")
    for change in without_effect(params_file(), S.preset, since):
        logger.warning(f"params.yaml: {change}")


def tables_to_show():
    """The tables named by the command line, or the first of all results; none after --touch."""
    if workflow.touch:
        return []
    return map(here, workflow.dag_settings.targets or [f"results/{S.results[0]}.csv"])


FOLLOWER = Follower(tables_to_show, lambda: link(W, here), Path(workflow.overwrite_workdir or ""))
if workflow.is_main_process:
    for path in Path("results").glob("*"):  # Snakemake fails at a link that leads nowhere
        if path.is_symlink() and not path.exists():
            path.unlink()
    logger.addFilter(names_the_holder)
    logger.addHandler(FOLLOWER)


onstart:
    jobs = list(workflow.dag.needrun_jobs())
    if any(job.rule.name == "encoder" for job in jobs):
        raised(hub.check_there, S.encoder)
    if workflow.executor_plugin.common_settings.implies_no_shared_fs:
        raised(check_image, workflow.remote_execution_settings.container_image)
    if workflow.executor_plugin.name == "slurm":
        asked = [
            (job.resources.get("slurm_partition"), job.resources.get("gpu", 0)) for job in jobs
        ]
        raised(check_slurm, asked)
    link(W, here)
    with suppress(InputError):  # params.yaml may need this call's --config
        write_ignored(graph_of(resolve(PARAMS, {})))  # DVC knows params.yaml alone
    if workflow.executor_plugin.common_settings.local_exec:
        # With a limit on jobs a second, here 100, every start is followed by a second's timer. The
        # call waits for the last of them, and each has the waiting jobs weighed up once more.
        workflow.scheduler.job_rate_limiter = None
    FOLLOWER.start(logger, W, jobs, workflow.cores)


def at(kind, wildcards):
    """The artifact of a rule's wildcard ``id``."""
    return raised(W.at, kind, wildcards.id)


def inputs(kind):
    """The artifact's input files by name; `vectors` gives those in parts."""

    def files(wildcards):
        found = at(kind, wildcards).input_files
        return {role: placed(paths) for role, paths in found.items() if role != "vectors"}

    return unpack(files)


def placed(paths):
    """Input files; what nobody makes is the user's, on this machine, and so are the jobs on it."""
    if isinstance(paths, list):
        return [placed(path) for path in paths]
    return paths if paths.startswith(f"{ROOT}/") else local(paths)


def settings(kind):
    """The settings of the artifact's stage."""
    return lambda wildcards: settings_of(at(kind, wildcards))


def settings_of(artifact):
    """An artifact's settings for a stage's --settings."""
    return as_json(artifact.settings)


def free(kind, *part):
    """Further settings of the artifact's stage, which move no number.

    Snakemake does not record a parameter whose function asks for the threads, so that changing one
    makes no output outdated.
    """
    return lambda wildcards, threads: as_json(reduce(getitem, part, at(kind, wildcards).free))


def of_the_machine(section):
    """A section of the settings, as a parameter that moves no number: see `free`."""
    return lambda wildcards, threads: as_json(section)


def label(kind):
    """The artifact's model or system."""
    return lambda wildcards: at(kind, wildcards).label


def longest(kind):
    """A training's priority: of several that may start, the longest does."""
    return lambda wildcards: tokens_of(at(kind, wildcards))


def as_json(value):
    """A value as JSON.

    Snakemake compares a list as an unordered set and would not notice two swapped numbers.
    """
    return json.dumps(value, sort_keys=True)


def options(*roles, value=getitem, **called):
    """Options of a command (--entities FILE) for those of the named inputs that a rule has.

    `identity="encoder"` passes the input `encoder` as --identity.
    """

    def params(wildcards, input):
        given = {**{role: role for role in roles}, **called}
        return " ".join(
            f"--{option.replace('_', '-')} {value(input, role)}"
            for role, option in given.items()
            if input.get(role)
        )

    return params


def folders(*roles):
    """As `options`, with the folders of the inputs."""
    return options(*roles, value=folder)


def folder_of(role):
    """The folder of a rule's named input."""
    return lambda wildcards, input: folder(input, role)


def folder(input, role):
    """The folder of one or more input files."""
    files = input[role]
    return str(Path(files if isinstance(files, str) else files[0]).parent)


def one_of(names):
    """A wildcard constraint to these names; without names it matches nothing."""
    return "|".join(names) or "(?!)"


def made_by(rule, kind):
    """A wildcard constraint to the artifacts of a kind that a rule makes."""
    return one_of(W.ids(kind, rule))


def launch(wildcards, resources):
    """The words before `train`: torchrun, with a process for each GPU that the job is given."""
    processes = max(resources.gpu, COMPUTE.processes)
    if processes == 1:
        return "muver"
    # The -- keeps torchrun from reading the options of `train` as its own.
    return f"torchrun --standalone --nproc-per-node {processes} -m -- muver.cli"


TRAIN = (
    "{params.launch} stage {params.stage}"
    " --log {log} --label {params.label} --settings {params.settings:q}"
    " --compute {params.compute:q} --start {params.start} {params.files}"
    " --checkpoints {params.checkpoints}"
)
READ = ("entities", "mentions", "sentences", "negatives")


def vectors(kind):
    """Vectors of all parts of the knowledge base, once the parts are known."""

    def files(wildcards):
        checkpoints.kb.get(id=W.kb.id)
        made = at(kind, wildcards).inputs["vectors"]
        return [f"{made.path}/{part}{end}" for part in W.parts for end in PART]

    return files


def retriever_kind(wildcards):
    """The retriever kind of a run."""
    return kind_of(S, at("runs", wildcards).label)


def shown(file, caption):
    """A file that Snakemake's own report shows, with its caption in workflow/report."""
    labels = {"result": Path(file).stem, "form": "figure" if file.endswith(".svg") else "table"}
    category = f"{labels['form'].capitalize()}s"
    return report(file, caption=f"../report/{caption}.rst", category=category, labels=labels)


def settings_of_result(name):
    """Settings of a table's or figure's stage."""
    return as_json(TABLES.settings_of(name))


def recording(table):
    """The command that records a table; the table stays if recording fails."""
    if table not in TABLES.recordable:
        return ""
    settings = shlex.quote(recordings([table]))
    return f"&& muver record --keep-going --log {LOGS}/record/{table}.log --settings {settings}"


def recordings(tables):
    """The settings of `muver record` for some tables."""
    if not tables:
        raise InputError(f"results: none of {', '.join(S.results)} has rows. Name a table of rows.")
    return as_json({"tables": [record_settings(TABLES, one, here) for one in tables]})


# This call's settings, which a recording names; as parameters they move no number, see `free`.
CALL = shlex.join(["--config", *written({"preset": S.preset, **typed(overrides())})])
