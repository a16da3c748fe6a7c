"""Train a cross-encoder to tell a mention's gold entity from candidates of a first stage."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.runs.run import by_mention, read_run
from muver.retriever.training.data import Batch, Dataset
from muver.retriever.training.objective import Side
from muver.retriever.training.run import trainer_of, write
from muver.retriever.training.training_settings import ModelTraining
from muver.retriever.views.worlds import World


def train_cross(
    settings: ModelTraining,
    compute: Machine,
    start: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    negatives: Path,
    validation_run: Path,
    checkpoints: Path,
    training_log: Path,
    out: Path,
) -> None:
    """Train a cross-encoder, which reranks what another row retrieves.

    It is written with its log; a run of the same key that was killed is resumed.

    Parameters
    ----------
    start
        The encoder's directory.
    negatives
        Of the training mentions, as of `muver stage train`: each mention's gold is told from its
        own.
    validation_run
        The run of the row that the negatives are from, over the validation mentions: as many of its
        first candidates are ranked again as training tells apart.
    """
    among = 1 + settings.negatives.per_mention
    ranked = {
        mention: rows["entity"].to_pylist()[:among]
        for mention, rows in by_mention(read_run(validation_run))
    }
    data = Dataset(entities, mentions, sentences, negatives)
    trainer = trainer_of(
        settings, compute, start, data, checkpoints, ranked, CrossEncoder, AmongCandidates()
    )
    write(trainer, trainer.run(), training_log, out)


class AmongCandidates:
    """The cross-entropy of each mention's gold among its own hard negatives."""

    def sides(self, model: CrossEncoder, batch: Batch) -> list[Side]:
        pairs = []
        for context, columns in zip(batch.contexts, _candidates(batch), strict=True):
            views = [ids for column in columns for ids in batch.views[column]]
            pairs += model.pairs(context, views)
        return [Side(model, pairs)]

    def loss(self, model: CrossEncoder, batch: Batch, scores: Tensor, mask: Tensor) -> Tensor:
        return candidate_loss(scores, [len(columns) for columns in _candidates(batch)])

    def first(
        self, model: CrossEncoder, world: World, k: int, batch_tokens: int
    ) -> list[np.ndarray]:
        """The candidates to rank stand in the world as negatives."""
        label = f"validation, {world.name}"
        scores = model.scores_in(world, world.negatives, batch_tokens, label)
        return [
            np.array(entities, dtype=int)[np.argsort(-found, kind="stable")[:k]]
            for entities, found in zip(world.negatives, scores, strict=True)
        ]


def _candidates(batch: Batch) -> list[list[int]]:
    """The columns among which each mention's gold is to be found; it is the first."""
    each = zip(batch.gold.tolist(), batch.negatives, strict=True)
    return [[*dict.fromkeys([gold, *negatives])] for gold, negatives in each]


def candidate_loss(scores: Tensor, counts: list[int]) -> Tensor:
    """Cross-entropy of each mention's gold among its own candidates, mean over mentions.

    ``scores``, (pairs, 1), have each mention's candidates side by side, the gold first; ``counts``
    are their numbers.

    >>> candidate_loss(torch.tensor([[0.0], [0.0], [5.0]]), [2, 1]).item() * 2
    0.6931471824645996
    """
    each = pad_sequence(scores[:, 0].split(counts), batch_first=True, padding_value=-torch.inf)
    return F.cross_entropy(each, torch.zeros(len(counts), dtype=torch.long, device=each.device))
