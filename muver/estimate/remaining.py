"""Time left of a run: what its jobs should take, corrected by what finished ones took."""

from collections import defaultdict
from collections.abc import Mapping

from muver.encoders.sizes import BertConfig
from muver.estimate.jobs import list_jobs
from muver.estimate.rates import Rate, Rates
from muver.workspace import Graph

START = 3.0  # seconds of a job without any work: Python, its libraries, reading files
FLOPS = 2e10  # a second of one thread, until the first jobs have shown this machine's


class Remaining:
    """The jobs of a run that are not finished, and how fast others of their rule were.

    A job is expected to take its cost times the ratio of seconds to costs of the finished jobs of
    its rule, or else of its like: jobs that cost more than :data:`START`, or no more than that.
    """

    def __init__(self, costs: Mapping[int, tuple[str, float]], at_once: int):
        """``costs``: rule and rough seconds of each job; ``at_once``: jobs beside each other."""
        self._left = dict(costs)
        self._at_once = at_once
        self._done: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])  # seconds and costs

    def finish(self, job: int, seconds: float) -> None:
        """Count a job as finished; one that nobody knew of (of a checkpoint) counts nothing."""
        rule, cost = self._left.pop(job, ("", 0.0))
        for done in (self._done[rule], self._done[_like(cost)]):
            done[0] += seconds if cost else 0.0
            done[1] += cost

    def seconds(self, running: Mapping[int, float]) -> float:
        """Seconds until all are finished.

        Parameters
        ----------
        running
            Seconds that each running job has been at work.
        """
        each = [
            max(self._expected(rule, cost) - running.get(job, 0.0), 0.0)
            for job, (rule, cost) in self._left.items()
        ]
        return max(sum(each) / self._at_once, max(each, default=0.0))

    def _expected(self, rule: str, cost: float) -> float:
        for took, costs in (self._done[rule], self._done[_like(cost)]):
            if costs:
                return cost * took / costs
        return cost


def _like(cost: float) -> str:
    """A name, which no rule has, of jobs that run a model or of those that do not."""
    return "(a model)" if cost > START else "(no model)"


def remaining(graph: Graph, jobs: Mapping[int, tuple[str, str]], cores: int) -> Remaining:
    """What is left at the start of a run.

    Parameters
    ----------
    graph
        The artifacts that are made.
    jobs
        Rule and artifact's id of each job, by a number.
    cores
        That the run may use.
    """
    own = _costs(graph)
    together = 1 if graph.gpus else max(cores // graph.settings["compute"]["threads"], 1)
    return Remaining({n: (job[0], own.get(job, START)) for n, job in jobs.items()}, together)


def _costs(graph: Graph) -> dict[tuple[str, str], float]:
    """Rough seconds of the jobs that run a model, by rule and id, on a core of today."""
    run = list_jobs(graph, gpu=False)
    rates = _rough(run.encoder, graph.settings["compute"]["threads"])
    return {
        (job.of.rule, job.of.id): START + seconds
        for job in run.jobs
        if job.of is not None and (seconds := job.estimate.seconds(rates)) is not None
    }


def _rough(encoder: BertConfig, threads: int) -> Rates:
    """Rates by the products of the layers alone: ``2 (4 H^2 + 2 H I)`` a token and layer."""
    h, i = encoder.hidden_size, encoder.intermediate_size
    tokens = FLOPS * threads / (2 * encoder.num_hidden_layers * (4 * h * h + 2 * h * i))
    known = {
        "encode": {0: Rate(tokens, "tokens", "given")},
        "train": {0: Rate(tokens / 3, "tokens", "given")},
        "multiply": {"": Rate(FLOPS / (2 * h), "products", "given")},
        "search": {"exact": Rate(FLOPS / (2 * h), "products", "given")},
        "read": {"": Rate(20.0, "MB", "given")},
    }
    return Rates(known)
