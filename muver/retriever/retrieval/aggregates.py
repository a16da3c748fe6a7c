"""Aggregates: how the scores of an entity's views become the entity's score.

Each aggregate is a class: its fields are its settings, :meth:`Aggregate.scores` reduces a block of
views' scores to candidates', :meth:`Aggregate.shares` tells what each view adds. docs/fidelity.md
compares them. numpy is imported where it is used, because every rule reads these types.
"""

from typing import TYPE_CHECKING, ClassVar

from muver.io.typed import Count, Positive, Settings

if TYPE_CHECKING:
    import numpy as np

    from muver.retriever.retrieval.blocks import Block


class Aggregate(Settings):
    """Base of all aggregates; by default the best view's score counts."""

    # Whether an entity's score depends on its own views alone. Other aggregates need all views of a
    # world at once, which a knowledge base in shards does not offer.
    alone: ClassVar[bool] = True
    chosen: ClassVar[str | None] = None  # the setting of which validation may choose a value
    note: ClassVar[str]  # what it does, for footnotes

    def scores(self, block: "Block", k: int) -> "np.ndarray":
        """(mentions, candidates) scores; only the k best of each mention will count."""
        return block.best

    def shares(self, values: "np.ndarray") -> "np.ndarray":
        """Each view's part of the entity's score, (views,) with sum 1, from the views' scores.

        A part is the derivative by the view's score, divided by the sum of these. If only the best
        view counts, it has all of it (of equal views the first).
        """
        import numpy as np

        shares = np.zeros(len(values))
        shares[np.argmax(values)] = 1
        return shares

    def gathered(self, k: int) -> int:
        """How many candidates' views must be gathered one by one to find the k best."""
        return k


class Max(Aggregate):
    """The best view's score: max s (equation 4)."""

    note = "An entity's score is its best view's, the paper's equation 4."


class LogMeanExp(Aggregate):
    """t log(mean(exp(s / t))): between the mean (great t) and the maximum (small t) of the scores.

    Duplicating every view changes nothing, so a description gains nothing by its length alone.
    """

    temperature: Positive = 1

    chosen = "temperature"
    note = (
        "An entity's score is the log-mean-exp of its views' scores, which lies between their mean "
        "and the best one."
    )

    def scores(self, block: "Block", k: int) -> "np.ndarray":
        """Takes the candidate's best score out of the exponents, so that none overflows."""
        import numpy as np

        means = np.empty_like(block.best)
        for rows in block.few_mentions():
            powers = np.repeat(block.best[rows], block.counts, axis=1)
            np.subtract(block.products[rows], powers, out=powers)
            powers /= self.temperature
            np.exp(powers, out=powers)
            np.add.reduceat(powers, block.starts, axis=1, out=means[rows])
        means /= block.counts
        np.log(means, out=means)
        means *= self.temperature
        means += block.best
        return means

    def shares(self, values: "np.ndarray") -> "np.ndarray":
        """The softmax of the scores."""
        import numpy as np

        powers = np.exp((values - values.max()) / self.temperature)
        return powers / powers.sum()


class SoftmaxSum(LogMeanExp):
    """sum(exp(s / t)) / Z: the softmax over all views of the world, summed over the entity's.

    It takes the ``softmax_candidates`` candidates with the best single views, and counts the views
    that are no worse than the best view of the last of them. This gives what the released code
    finds by walking down the sorted views, without sorting them; its t is 1.
    """

    softmax_candidates: Count = 200

    alone = False
    note = (
        "An entity's score is the softmax summed over its views, as the released numbers were "
        "made; the paper's equation 4 takes the best view."
    )

    def gathered(self, k: int) -> int:
        """The candidates that the walk reaches."""
        return max(self.softmax_candidates, k)

    def scores(self, block: "Block", k: int) -> "np.ndarray":
        """Sums of probabilities; -inf for candidates that the walk does not reach."""
        import numpy as np

        from muver.retriever.retrieval.blocks import gather, top_columns

        pool = top_columns(block.best, min(self.gathered(k), block.best.shape[1]))
        ends = np.take_along_axis(block.best, pool[:, [0, -1]], axis=1)
        greatest, least = ends[:, :1], ends[:, 1]
        views = gather(block, pool)
        # Only some views of the pool count, and only these are summed in double precision.
        counted = np.flatnonzero(views.values >= least[views.mentions])
        above = views.values[counted].astype(np.float64) - greatest[views.mentions[counted], 0]
        probabilities = np.zeros(len(views.values))
        probabilities[counted] = np.exp(above / self.temperature)
        sums = np.add.reduceat(probabilities, views.starts).reshape(pool.shape)
        scores = np.full(block.best.shape, -np.inf)
        np.put_along_axis(scores, pool, sums / self._normaliser(block, greatest), axis=1)
        return scores

    def _normaliser(self, block: "Block", greatest: "np.ndarray") -> "np.ndarray":
        """(mentions, 1) sum over all views of exp((s - greatest) / t)."""
        import numpy as np

        sums = np.empty_like(greatest, dtype=np.float64)
        for rows in block.few_mentions():
            powers = block.products[rows] - greatest[rows]
            powers /= self.temperature
            np.exp(powers, out=powers)
            powers.sum(axis=1, dtype=np.float64, keepdims=True, out=sums[rows])
        return sums


MAX = Max()
# By the names that params.yaml has for them.
AGGREGATES: dict[str, type[Aggregate]] = {
    "max": Max,
    "softmax_sum": SoftmaxSum,
    "log_mean_exp": LogMeanExp,
}
