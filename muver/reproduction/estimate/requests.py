"""What a job asks of a cluster's scheduler, with room above the estimates: memory, disk, time."""

from functools import cached_property
from math import ceil

from muver.reproduction.estimate.jobs import Job, list_jobs
from muver.reproduction.estimate.rates import Rates
from muver.reproduction.estimate.remaining import START, rough_rates
from muver.reproduction.estimate.sizes import encoder_sizes
from muver.reproduction.estimate.stages import Estimate
from muver.reproduction.workspace import Graph

BASE_MB = 2048  # Python, torch, and what the estimates leave out; of a disk logs and sources
SPACE = 1.3  # times the estimate
TIME = 3.0  # times the estimate, which knows neither the processor nor the disk
BASE_MINUTES = 15.0
TRAININGS = ("train", "grid_point")  # rules whose job starts compute.processes
# A second, on processors and GPUs of any age.
CORE_FLOPS, GPU_FLOPS = 2e10, 5e12


class Requests:
    """Requests of a run's jobs; each retry asks for as much again.

    Parameters
    ----------
    graph
        What is made. Its sizes are looked up at the first request, and again while the data are
        not counted yet.
    """

    def __init__(self, graph: Graph):
        self._graph = graph
        self._known: dict[tuple[str, str], Job] = {}

    def memory_mb(self, rule: str, name: str, attempt: int = 1) -> int:
        """Megabytes of main memory that the job of a rule and an artifact's id asks for."""
        held = self._estimate(rule, name).memory / 2**20
        return ceil(BASE_MB + SPACE * held) * attempt

    def disk_mb(self, rule: str, name: str, attempt: int = 1) -> int:
        """Megabytes of a disk of its own, for what it reads and writes; a cloud's jobs have one."""
        own = self._estimate(rule, name)
        parents = self._known[rule, name].of.parents if (rule, name) in self._known else ()
        read = sum(self._estimate(one.rule, one.id).disk for one in parents)
        return ceil(BASE_MB + SPACE * (own.disk + own.passing + read) / 2**20) * attempt

    def minutes(self, rule: str, name: str, attempt: int = 1) -> int:
        """Minutes of wall-clock time; processes of a training share its work."""
        seconds = self._estimate(rule, name).seconds(self._rates) or START
        if rule in TRAININGS:
            seconds /= self._graph.settings["compute"]["processes"]
        return ceil(BASE_MINUTES + TIME * seconds / 60) * attempt

    def _estimate(self, rule: str, name: str) -> Estimate:
        if not self._known:
            run = list_jobs(self._graph, bool(self._graph.gpus))
            self._known = {(job.of.rule, job.of.id): job for job in run.jobs if job.of}
        job = self._known.get((rule, name))
        return job.estimate if job else Estimate()

    @cached_property
    def _rates(self) -> Rates:
        compute = self._graph.settings["compute"]
        flops = GPU_FLOPS if self._graph.gpus else CORE_FLOPS * compute["threads"]
        return rough_rates(encoder_sizes(self._graph)[0], flops)
