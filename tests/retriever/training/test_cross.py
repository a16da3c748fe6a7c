"""Training a cross-encoder: its loss, its gradient, whole runs."""

import json

import numpy as np
import pytest
import torch
from accelerate import Accelerator

from muver.io.errors import InputError
from muver.io.parquet import write_table
from muver.io.typed import read
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.encoders.files import CROSS_FILES
from muver.retriever.runs.run import read_run
from muver.retriever.training import cross as stage
from muver.retriever.training import loop
from muver.retriever.training.cross import AmongCandidates, candidate_loss
from muver.retriever.training.data import Batch
from muver.retriever.training.step import backward_through_batch
from muver.retriever.training.training_settings import ModelTraining
from tests import tiny
from tests.retriever.encoders.test_cross import make_cross
from tests.retriever.training.test_loop import TRAINING, log_of, places
from tests.retriever.training.test_negatives import NUMBERS, write_negatives
from tests.runs import write_run

SETTINGS = {
    "views": {"kind": "prefix", "max_tokens": 24},
    "score": "cross",
    "decay": 4.0,
    "context": {"max_tokens": 32},
    "training": {**TRAINING, "validation_cutoff": 1, "epochs": 3},
    "seed": 3,
    "negatives": {"per_mention": 3},
}


@pytest.fixture
def files(corpus, tmp_path):
    """The corpus, the training mentions' negatives, and a run that has the gold third of five."""
    mentions = read_mentions(corpus[1], "val")
    rows = [
        (mention["mention_id"], "cedar", rank, (mention["gold"] + step) % 12, "?", -rank, 0, 0, 0)
        for mention in mentions.to_pylist()
        for rank, step in enumerate((5, 2, 0, 7, 1), start=1)
    ]
    negatives = write_negatives(tmp_path / "negatives.parquet", NUMBERS)
    return *corpus, negatives, write_run(tmp_path / "val.parquet", rows)


def run(folder, encoder, files, **training) -> dict[str, bytes]:
    own = {**SETTINGS, "training": {**SETTINGS["training"], **training}}
    given = read(ModelTraining, own), read(Machine, tiny.COMPUTE), encoder
    stage.train_cross(*given, *files, **places(folder))
    return {file: (folder / "model" / file).read_bytes() for file in CROSS_FILES}


def test_the_loss_by_hand():
    """Two mentions of two and three candidates, the gold first; the other's do not count."""
    scores = torch.tensor([[1.0], [0.0], [0.0], [2.0], [1.0]])
    first = np.log(1 + np.exp(-1.0))
    second = np.log(np.exp(0.0) + np.exp(2.0) + np.exp(1.0))
    loss = candidate_loss(scores, [2, 3]).item()
    assert loss == pytest.approx((first + second) / 2, abs=1e-6)


CONTEXTS = [[5, 1, 41, 2, 40, 6], [5, 1, 2, 6]]
VIEWS = [[[5, 50, 3, 60, 6]], [[5, 12, 6]], [[5, 44, 6]]]
BATCH = Batch(CONTEXTS, VIEWS, np.array([0, 1]), [[2, 2, 0], []])
PAIRS = [[*CONTEXTS[0], 50, 3, 60, 6], [*CONTEXTS[0], 44, 6], [*CONTEXTS[1], 12, 6]]


@pytest.mark.parametrize("graph_tokens, passes", [(23, 6), (24, 3)])
def test_gradients_are_those_of_all_pairs_at_once(encoder, graph_tokens, passes):
    """Of small chunks too; the activations of 24 tokens are kept, or computed again.

    A negative that was mined twice, or is the gold, is one candidate.
    """
    expected, model, chunks = make_cross(encoder), make_cross(encoder), []
    model.register_forward_hook(lambda *given: chunks.append(given))
    candidate_loss(expected(pack(PAIRS)), [2, 1]).backward()
    how = (Accelerator(cpu=True), 8, graph_tokens)
    backward_through_batch(model, AmongCandidates(), BATCH, *how)
    assert len(chunks) == passes
    for (name, old), new in zip(expected.named_parameters(), model.parameters(), strict=True):
        if old.grad is not None:
            torch.testing.assert_close(new.grad, old.grad, msg=name)


def test_a_run_falls_and_leaves_a_cross_encoder_and_its_log(encoder, files, tmp_path):
    first = run(tmp_path, encoder, files, epochs=16, validate_every=40)
    losses = [line["loss"] for line in log_of(tmp_path) if "loss" in line]
    assert len(losses) == 96 and np.mean(losses[-12:]) < 0.8 * np.mean(losses[:12])
    recalls = [line for line in log_of(tmp_path) if "validation_recall_at_1" in line]
    assert [line["step"] for line in recalls] == [40, 80, 96]
    made = json.loads(first["muver.json"])
    assert made["decay"] == 4 and made["provenance"]["negatives"]["per_mention"] == 3


def test_validation_ranks_as_many_candidates_as_training_tells_apart(
    encoder, files, tmp_path, monkeypatch
):
    """By the number of the entity: a gold that is the greatest or second of the first four counts.

    The fifth candidate, which is greater than most golds, does not.
    """
    counted = []

    def by_entity(model, world, among, *_):
        counted.append([len(entities) for entities in among])
        return [np.array(entities, np.float32) for entities in among]

    monkeypatch.setattr(CrossEncoder, "scores_in", by_entity)
    monkeypatch.setattr(loop.Trainer, "train_on", lambda self, *_: vars(self).update(step=1) or 0.0)
    run(tmp_path, encoder, files, epochs=1, batch_size=24, validate_every=1, validation_cutoff=2)
    won = sum(g in sorted([g, (g + 5) % 12, (g + 2) % 12, (g + 7) % 12])[2:] for g in range(12))
    recalls = {one.get("validation_recall_at_2") for one in log_of(tmp_path)} - {None}
    assert list(recalls) == [pytest.approx(100 * won / 12)]
    assert counted == [[4] * 12] * len(counted)


def test_a_validation_run_of_other_mentions_is_refused(encoder, files, tmp_path):
    *others, validation = files
    ranked = read_run(validation)
    write_table(validation, ranked.slice(5))  # all but the first mention
    with pytest.raises(InputError, match="mention 'val-cedar-0' has no candidates: negatives or"):
        run(tmp_path, encoder, (*others, validation))
