"""What jobs ask of a cluster or a cloud, and what it lacks, found before any is submitted."""

import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cached_property
from math import ceil

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.reproduction.estimate.jobs import START, Job, Key, list_jobs, seconds_of
from muver.reproduction.workspace import Graph

BASE_MB = 2048  # Python, torch, and what the estimates leave out; of a disk logs and sources
SPACE = 1.3  # times the estimate
TIME = 10.0  # times the estimate, which knows neither the processor nor the disk
BASE_MINUTES = 15.0
SNAKEMAKE = "snakemake/snakemake"  # the image that Snakemake takes if none is named


class Requests:
    """Requests of a run's jobs; each retry asks for as much again."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._known: dict[Key, Job] = {}

    def memory_mb(self, rule: str, name: str, attempt: int = 1) -> int:
        """Megabytes of main memory that the job of a rule and an artifact's id asks for."""
        job = self._jobs.get((rule, name))
        return ceil(BASE_MB + SPACE * (job.memory if job else 0) / 2**20) * attempt

    def disk_mb(self, rule: str, name: str, attempt: int = 1) -> int:
        """Megabytes of a disk of its own, for what it reads and writes; a cloud's jobs have one."""
        job, total = self._jobs.get((rule, name)), 0.0
        if job:
            read = [self._jobs[one.rule, one.id] for one in job.of.parents]
            total = job.disk + job.passing + sum(one.disk * one.count for one in read)
        return ceil(BASE_MB + SPACE * total / 2**20) * attempt

    def minutes(self, rule: str, name: str, attempt: int = 1) -> int:
        """Minutes of wall-clock time."""
        seconds = self._seconds.get((rule, name), START) if self._jobs else START
        return ceil(BASE_MINUTES + TIME * seconds / 60) * attempt

    @property
    def _jobs(self) -> Mapping[Key, Job]:
        if not self._known:  # or not yet, as nobody has counted the data
            run = list_jobs(self._graph, bool(self._graph.gpus), self._graph.declared)
            self._known = {job.key: job for job in run.jobs}
        return self._known

    @cached_property
    def _seconds(self) -> Mapping[Key, float]:
        return seconds_of(self._graph)


def check_image(image: str) -> None:
    """Refuse an image without this project in it: Snakemake's own, so none was named."""
    if image.startswith(SNAKEMAKE):
        raise InputError(
            f"Jobs would run in {image}, which has no muver. Build an image of this project's "
            "Dockerfile, push it to where the jobs can fetch it, and name it: --container-image."
        )


def check_slurm(asked: Iterable[tuple[str | None, int]]) -> None:
    """Compare partitions and GPUs that jobs ask for with those that ``sinfo`` lists.

    ``asked`` has each job's partition (None: the cluster's own choice) and number of GPUs.
    """
    gpus = _gpus_by_partition()
    # In this order, the most GPUs that are asked for of a partition stay.
    for partition, wanted in dict(sorted(asked, key=lambda one: one[1])).items():
        if partition is not None and partition not in gpus:
            raise InputError(
                f"Slurm has no partition {partition!r}, but {', '.join(sorted(gpus))}."
                f"{did_you_mean(partition, gpus)} Set slurm_partition among the profile's "
                "default-resources."
            )
        most = max(gpus.values(), default=0) if partition is None else gpus[partition]
        if wanted > most:
            raise InputError(
                f"A job asks for {wanted} GPUs (compute.processes), and a node of Slurm's "
                f"partition {partition or 'with most'} has {most}."
            )


def _gpus_by_partition() -> dict[str, int]:
    """GPUs of the node that has most, by partition."""
    command = ["sinfo", "--noheader", "--format", "%R %G"]
    try:
        listed = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    except FileNotFoundError:
        raise InputError(
            "sinfo was not found: jobs go to Slurm from a machine that has its commands. Run this "
            "on the cluster's login node, or leave out workflow/profiles/slurm."
        ) from None
    except subprocess.CalledProcessError as error:
        raise InputError(f"Slurm does not answer: {error.stderr.strip()}") from None
    gpus: dict[str, int] = {}
    for line in listed.splitlines():
        partition, resources = line.split(maxsplit=1)
        counts = re.findall(r"\bgpu:(?:[^:,(]+:)?(\d+)", resources)
        gpus[partition] = max(gpus.get(partition, 0), sum(map(int, counts)))
    return gpus
