# The checked settings, the graph of artifacts, and the helpers that the rules share.


# A limit of `gpu`, such as the default profile's, is one machine's and not the cluster's; what jobs
# ask of a cluster stands in workflow/profiles.
resource_scopes:
    gpu="local",


import os
import shlex
from contextlib import suppress
from pathlib import Path

from snakemake.logging import logger

from muver.retriever.encoders import hub
from muver.io.errors import InputError
from muver.io.typed import overlay
from muver.retriever.retrieval.kinds import runs_a_model
from muver.reproduction.settings.resolve import resolve, typed
from muver.reproduction.settings.rows import kind_of
from muver.reproduction.settings import file as project
from muver.reproduction.doctor.follow import Follower
from muver.reproduction.doctor.plan import Machine, gpus_here
from muver.reproduction.workspace import KnowledgeBase, code, graph_of
from muver.reproduction.workspace.current import link, write_ignored
from muver.reproduction.workspace.models import tokens_of
from muver.reproduction.workspace.jobs import write_job, write_settings
from muver.reproduction.workspace.knowledge_base import PART
from muver.reproduction.workspace.running import check_writable, in_our_words
from muver.reproduction.workspace.steps import BY_RULE
from muver.reproduction.workspace.results import Results, not_recorded

logger.addFilter(in_our_words)  # from the first mistake in settings on

# Read here and not by `configfile:`, which is slow and ignores mistakes such as a repeated key.
PARAMS = project.read_params(project.params_file())


def overrides():
    """Settings in place of params.yaml's: what a workflow hands on that uses this one as a module.

    Else the command line's, and below them config/config.yaml of a folder without a params.yaml.
    """
    if not workflow.modifier.is_main_snakefile():
        return config
    return overlay(project.config_of(), workflow.config_settings.overwrite_config)


S = resolve(PARAMS, overrides())
W = graph_of(S)
W.by_place  # whose mistakes are told before any job


# A dry run may plan for another machine. A run that needs the encoder ends before its first job.
if workflow.is_main_process and not Path(W.encoder.files[-1]).exists():
    hub.check_before_a_run(S.encoder, logger.warning)

ROOT = W.root
TABLES = Results(W)  # and figures
LOGS, RESULTS = TABLES.logs, TABLES.folder
COMPUTE = S.compute
# Priority of what comes after a training: before any other one, so that rows are there early.
AFTERWARDS = 10**9
ONE_BASE = isinstance(W, KnowledgeBase)
MACHINE = Machine(workflow.cores, gpus_here())
GPUS = int(MACHINE.gives_gpu(COMPUTE))  # that a job which runs a model asks for, in each process


def tables_to_show():
    """The tables named by the command line, or the first of all results; none after --touch."""
    if workflow.touch:
        return []
    return workflow.dag_settings.targets or [f"results/{S.results[0]}.csv"]


def page():
    """The page of the tables that there are, after a run or where there was nothing to do."""
    from muver.reproduction.report.stage import page_of_made  # takes a second to import

    if not workflow.touch:
        page_of_made(Path(RESULTS))


def at_end():
    """After a run, or where there was nothing to do: rows that no listed table has are linked too."""
    link(W)
    page()


FOLLOWER = Follower(tables_to_show, at_end, Path(workflow.overwrite_workdir or ""))
if workflow.is_main_process:  # not again in every job
    check_writable(Path())
    since = os.environ.get("DVC_EXP_BASELINE_REV", "HEAD")
    for change in project.without_effect(project.params_file(), S.preset, since):
        logger.warning(f"params.yaml: {change}")
    for path in Path("results").glob("*"):  # Snakemake fails at a link that leads nowhere
        if path.is_symlink() and not path.exists():
            path.unlink()
    logger.addHandler(FOLLOWER)


onstart:
    jobs = list(workflow.dag.needrun_jobs())
    if any(job.rule.name == "encoder" for job in jobs):
        hub.check_there(S.encoder)
    link(W)
    with suppress(InputError):  # params.yaml may need this call's --config
        write_ignored(graph_of(resolve(PARAMS, {})))  # DVC knows params.yaml alone
    if workflow.executor_plugin.common_settings.local_exec:
        # With a limit on jobs a second, here 100, every start is followed by a second's timer. The
        # call waits for the last of them, and each has the waiting jobs weighed up once more.
        workflow.scheduler.job_rate_limiter = None
    FOLLOWER.start(logger, W, jobs, MACHINE)


def at(kind, wildcards):
    """The artifact of a rule's wildcard ``id``."""
    return W.at(kind, wildcards.id)


def inputs(kind):
    """The artifact's input files by name; `vectors` gives those in parts."""

    def files(wildcards):
        found = at(kind, wildcards).input_files
        return {role: paths for role, paths in found.items() if role != "vectors"}

    return unpack(files)


def job(kind):
    """The file that tells a step's command what to do."""
    return lambda wildcards: write_job(W, at(kind, wildcards))


def longest(kind):
    """A training's priority: of several that may start, the longest does."""
    return lambda wildcards: tokens_of(at(kind, wildcards))


def pattern(kind, suffixes):
    """Files of a kind with the wildcard ``id``."""
    return [f"{ROOT}/{kind}/{{id}}{suffix}" for suffix in suffixes]


def one_of(names):
    """A wildcard constraint to these names; without names it matches nothing."""
    return "|".join(names) or "(?!)"


def launch(step):
    """The words before `stage`: of a training torchrun, with a process for each GPU of the job."""

    def words(wildcards, resources):
        processes = max(resources.gpu, COMPUTE.processes) if step.trains else 1
        if processes == 1:
            return "muver"
        # The -- keeps torchrun from reading the options of the stage as its own.
        return f"torchrun --standalone --nproc-per-node {processes} -m -- muver.cli"

    return words


def gpus(step):
    """GPUs that a step's job asks for; of a run, if its kind of retriever runs a model."""
    if step.kind == "runs":
        return lambda wildcards: GPUS * runs_a_model(kind_of(S, at("runs", wildcards).label))
    return GPUS * (COMPUTE.processes if step.trains else 1) if step.runs_a_model else 0


def code_of(kind):
    """Files of the code that decide an artifact."""
    return lambda wildcards: W.code_of(at(kind, wildcards))


def vectors(kind):
    """Vectors of all parts of the knowledge base, once the parts are known."""

    def files(wildcards):
        checkpoints.kb.get(id=W.kb.id)
        return W.vectors(at(kind, wildcards).inputs["vectors"].name).files

    return files


def shown(file):
    """A file of a result; Snakemake's own report shows tables and drawings."""
    form = {".html": "table", ".svg": "figure"}.get(Path(file).suffix)
    form = form if Path(file).stem in TABLES.names else None
    labels = {"result": Path(file).stem, "form": form}
    return report(file, category=f"{form.capitalize()}s", labels=labels) if form else file


def recordings(tables):
    """What `muver record` is told of some tables."""
    if not tables:
        raise InputError(f"results: none of {', '.join(S.results)} has rows. Name a table of rows.")
    return {"settings": {"tables": [TABLES.recording(table) for table in tables]}}


def then(name):
    """What follows the command of a table: its drawing and its record.

    The job of a table also records it: the store belongs to this machine, and with another job for it
    a clone that only pulled the tables would have jobs left. The table stays if recording fails.
    """

    def params(wildcards):
        more = []
        if TABLES.is_drawn(name):
            job = write_settings(W, f"{name}_drawing", TABLES.drawing(name))
            more.append(f"stage figure --log {LOGS}/tables/{name}_figure.log --job {job}")
        if name in TABLES.costed:
            job = write_settings(W, f"costs_{name}", TABLES.costs(name))
            more.append(f"stage costs --log {LOGS}/tables/{name}_costs.log --job {job}")
        if name in TABLES.recordable:
            job = write_settings(W, f"record_{name}", recordings([name]))
            more.append(f"record --keep-going --log {LOGS}/record/{name}.log --job {job}")
        return "".join(f" && muver {command}" for command in more)

    return params


def call(name):
    """This call's settings, which a recording names.

    Snakemake does not record a parameter whose function asks for the threads, so that another call
    makes no output outdated.
    """
    config = shlex.join(["--config", *project.written({"preset": S.preset, **typed(overrides())})])
    return lambda wildcards, threads: config if name in TABLES.recordable else ""
