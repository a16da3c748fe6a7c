"""What a job asks of a cluster's scheduler, with room above the estimates: memory, disk, time."""

from collections.abc import Mapping
from functools import cached_property
from math import ceil

from muver.reproduction.estimate.jobs import START, Job, Key, list_jobs, seconds_of
from muver.reproduction.workspace import Graph

BASE_MB = 2048  # Python, torch, and what the estimates leave out; of a disk logs and sources
SPACE = 1.3  # times the estimate
TIME = 10.0  # times the estimate, which knows neither the processor nor the disk
BASE_MINUTES = 15.0


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
            run = list_jobs(self._graph, bool(self._graph.gpus))
            self._known = {job.key: job for job in run.jobs}
        return self._known

    @cached_property
    def _seconds(self) -> Mapping[Key, float]:
        return seconds_of(self._graph)
