"""Time left of a run: what its jobs should take, corrected by what finished ones took."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import mean

from muver.reproduction.estimate.jobs import list_jobs
from muver.reproduction.estimate.rates import Rate, Rates
from muver.reproduction.workspace import Graph
from muver.retriever.encoders.sizes import BertConfig

START = 2.0  # seconds of a job without any work: Python, its libraries, reading files
# A second of one thread, until jobs have shown this machine's: with AVX-512 the default preset's
# trainings reached 5e10 to 9e10 of those that `rough_rates` counts, two beside each other.
FLOPS = 7e10
ALL = ""  # no rule's name

Key = tuple[str, str]  # a job's rule, and the id of the artifact that it makes


class Remaining:
    """The jobs of a run that are not finished, and how fast others of their rule were.

    A job is expected to take its cost times the ratio of seconds to costs of the finished jobs of
    its rule, or else of similar ones: jobs that cost more than :data:`START`, or no more than that.

    Attributes
    ----------
    costs
        Rough seconds of the jobs that run a model; may be replaced once more is known. Without
        any, the time left is not known.
    """

    def __init__(self, jobs: Mapping[int, Key], costs: Mapping[Key, float], at_once: int):
        """``jobs``: by their numbers; ``at_once``: how many run beside each other."""
        self.costs = costs
        self._left = dict(jobs)
        self._at_once = at_once
        self._done: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])  # seconds and costs

    def finish(self, job: int, seconds: float) -> None:
        """Count a job as finished; a job that was not listed (of a checkpoint) does not count."""
        if key := self._left.pop(job, None):
            cost = self.costs.get(key, START)
            for done in (self._done[key[0]], self._done[_like(cost)]):
                done[0] += seconds
                done[1] += cost

    def seconds(self, running: Mapping[int, float]) -> float | None:
        """Seconds until all are finished; None where that is not known.

        Parameters
        ----------
        running
            Seconds that each running job has been at work.
        """
        if not self.costs:
            return None
        each = [
            max(self._expected(key) - running.get(job, 0.0), 0.0)
            for job, key in dict(self._left).items()  # a copy: jobs finish in another thread
        ]
        return max(sum(each) / self._at_once, max(each, default=0.0))

    def _expected(self, key: Key) -> float:
        cost = self.costs.get(key, START)
        for took, costs in (self._done[key[0]], self._done[_like(cost)]):
            if costs:
                return cost * took / costs
        return cost


def _like(cost: float) -> str:
    """A name, which no rule has, of jobs that run a model or of those that do not."""
    return "(a model)" if cost > START else "(no model)"


def rough_costs(graph: Graph) -> dict[Key, float]:
    """Rough seconds of the jobs that run a model, on a core of today; none without counted data.

    Where such jobs have been finished in this folder before, their times correct the costs.
    """
    run = list_jobs(graph, gpu=False)
    rates = rough_rates(run.encoder, FLOPS * graph.settings["compute"]["threads"])
    known = {
        (job.of.rule, job.of.id): (START + seconds, job.took)
        for job in run.jobs
        if job.of is not None and (seconds := job.estimate.seconds(rates)) is not None
    }
    costs = {key: cost for key, (cost, _) in known.items()}
    return corrected(costs, {key: mean(took) for key, (_, took) in known.items() if took})


def corrected(costs: Mapping[Key, float], took: Mapping[Key, float]) -> dict[Key, float]:
    """Costs times the ratio of seconds to costs of the jobs of their rule that have been finished.

    Of a rule without such jobs, that of all others.

    >>> costs = {("train", "a"): 30.0, ("train", "b"): 10.0, ("merge", "a"): 20.0}
    >>> corrected(costs, {("train", "a"): 60.0})
    {('train', 'a'): 60.0, ('train', 'b'): 20.0, ('merge', 'a'): 40.0}
    """
    seconds, sums = defaultdict[str, float](float), defaultdict[str, float](float)
    for key, spent in took.items():
        for name in (key[0], ALL):
            seconds[name] += spent
            sums[name] += costs[key]
    ratios = {name: seconds[name] / cost for name, cost in sums.items()}
    return {key: cost * ratios.get(key[0], ratios.get(ALL, 1.0)) for key, cost in costs.items()}


def rough_rates(encoder: BertConfig, flops: float) -> Rates:
    """Rates by the products of the layers alone: ``2 (4 H^2 + 2 H I)`` a token and layer.

    ``flops``: operations a second of one job.
    """
    h, i = encoder.hidden_size, encoder.intermediate_size
    tokens = flops / (2 * encoder.num_hidden_layers * (4 * h * h + 2 * h * i))
    known = {
        "encode": {0: Rate(tokens, "tokens", "given")},
        "train": {0: Rate(tokens / 3, "tokens", "given")},
        "multiply": {"": Rate(flops / (2 * h), "products", "given")},
        "search": {"exact": Rate(flops / (2 * h), "products", "given")},
        "read": {"": Rate(20.0, "MB", "given")},
    }
    return Rates(known)
