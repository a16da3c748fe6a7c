"""Train a cross-encoder to tell a mention's gold entity from candidates of a first stage."""

from functools import partial
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.settings import Machine
from muver.retriever.runs.run import by_mention, read_run
from muver.retriever.training.loop import Backward, Trainer
from muver.retriever.training.run import trainer_of, write
from muver.retriever.training.settings import ModelTraining
from muver.retriever.training.step import Side, backward_through
from muver.retriever.views.layout import Ids


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
    """Train one cross-encoder and write it with its log; resume if a run of the same key was
    killed.

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
    trainer = trainer_of(
        settings, compute, start, entities, mentions, sentences, negatives, checkpoints,
        candidates=ranked, kind=CrossTrainer,
    )  # fmt: skip
    write(trainer, trainer.run(), training_log, out)


class CrossTrainer(Trainer):
    """Trains a cross-encoder; the validation worlds' negatives are the candidates to rank."""

    model: CrossEncoder
    start = staticmethod(CrossEncoder.from_encoder)

    def work(self, batch: np.ndarray) -> tuple[list[Ids], Backward]:
        pairs, counts = [], []
        for place, mention in (self.examples[number] for number in batch):
            world = self.worlds[place]
            among = dict.fromkeys([int(world.gold[mention]), *world.negatives[mention]])
            pairs += self.model.pairs_in(world, mention, among)
            counts.append(len(among))
        loss = partial(candidate_loss, counts=counts)
        sides = [Side(self.model, pairs)]
        return pairs, partial(backward_through, self.model, sides, loss, self.accelerator)

    def hits(self, cutoff: int) -> tuple[int, int]:
        self.model.eval()
        where = (self.settings.chunk_tokens, self.accelerator.device)
        hits = total = 0
        for world in self.validation:
            pairs = [self.model.pairs_in(world, *one) for one in enumerate(world.negatives)]
            scores = self.model.scores(pairs, *where, f"validation, {world.name}")
            titles = np.array(world.titles, dtype=object)
            for some, own, gold in zip(world.negatives, scores, world.gold, strict=True):
                first = np.array(some, dtype=int)[np.argsort(-own, kind="stable")[:cutoff]]
                hits += int((titles[first] == titles[gold]).any())
            total += len(world.gold)
        return hits, total


def candidate_loss(scores: Tensor, mask: Tensor, counts: list[int]) -> Tensor:
    """Cross-entropy of each mention's gold among its own candidates, mean over mentions.

    ``scores``, (pairs, 1), have each mention's candidates side by side, the gold first; ``counts``
    are their numbers. Every pair counts, so ``mask`` is not looked at.

    >>> candidate_loss(torch.tensor([[0.0], [0.0], [5.0]]), torch.ones(3, 1), [2, 1]).item() * 2
    0.6931471824645996
    """
    each = pad_sequence(scores[:, 0].split(counts), batch_first=True, padding_value=-torch.inf)
    return F.cross_entropy(each, torch.zeros(len(counts), dtype=torch.long, device=each.device))
