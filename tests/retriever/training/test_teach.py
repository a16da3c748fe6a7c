"""A teacher: what it scores, its loss, and a training with it."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.schema import read_lessons
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.training.batches import Lesson
from muver.retriever.training.teach import Teach, teach
from muver.retriever.views.worlds import load_worlds
from tests import tiny
from tests.retriever.encoders.test_cross import CPU, make_cross
from tests.retriever.training.test_loop import SETTINGS, log_of, places, train
from tests.retriever.training.test_negatives import NUMBERS, write_negatives

WITH = {**SETTINGS, "negatives": {"per_mention": 3}}


@pytest.fixture
def files(encoder, corpus, tmp_path):
    """The corpus, negatives, and a cross-encoder's scores of three of each mention's."""
    make_cross(encoder).save_pretrained(tmp_path / "cross")
    negatives = write_negatives(tmp_path / "negatives.parquet", NUMBERS)
    lessons = tmp_path / "lessons.parquet", tmp_path / "lessons.json"
    asked = tiny.settings(Teach, per_mention=3)
    teach(tmp_path / "cross", *corpus, negatives, *lessons, asked)
    return corpus, negatives, lessons[0]


def test_the_loss_by_hand():
    """The second mention has one candidate less, and another's entity does not count."""
    scores = torch.tensor([[2.0, 1.0, 0.0], [5.0, 0.0, 1.0]])
    lesson = Lesson([[0, 2, 1], [2, 1]], [[1.0, 1.0, 1.0], [0.0, np.log(3)]], weight=0.5)
    first = -F.log_softmax(torch.tensor([2.0, 0.0, 1.0]), 0).mean()
    second = -F.log_softmax(torch.tensor([1.0, 0.0]), 0) @ torch.tensor([0.25, 0.75])
    torch.testing.assert_close(lesson.loss(scores), 0.5 * (first + second) / 2)


def test_nothing_is_learnt_of_a_teacher_that_agrees():
    scores = torch.randn(3, 5, requires_grad=True)
    own = [[0, 1, 3], [2, 4], [1, 2, 3]]
    taught = [row[some].tolist() for row, some in zip(scores, own, strict=True)]
    Lesson(own, taught, 1.0).loss(scores).backward()
    torch.testing.assert_close(scores.grad, torch.zeros(3, 5), rtol=0, atol=1e-7)


def test_scores_are_of_the_gold_and_then_of_the_negatives(files, tmp_path):
    corpus, _, lessons = files
    model = CrossEncoder.from_pretrained(tmp_path / "cross").eval()
    found = {row["mention_id"]: row["scores"] for row in read_lessons(lessons).to_pylist()}
    assert found.keys() == NUMBERS.keys()
    for world in load_worlds(*corpus, "train", model.config, model.pieces):
        for mention, context, gold in zip(
            world.mention_ids, world.contexts, world.gold, strict=True
        ):
            own = [world.views[one][0].ids for one in (gold, *NUMBERS[mention][:3])]
            (scores,) = model.scores([model.pairs(context, own)], 400, CPU)
            np.testing.assert_allclose(found[mention], scores, atol=1e-6)
    assert read_json(tmp_path / "lessons.json")["settings"]["per_mention"] == 3


def test_a_training_with_a_teacher(encoder, files, tmp_path):
    """It adds to the loss, with its weight, and goes on from a kill to the same bytes."""
    corpus, negatives, lessons = files
    logs = {}
    for weight in (None, 1e-6, 1):
        folder, more = tmp_path / str(weight), {}
        if weight is not None:
            more = {"teacher": {"weight": weight}}
        given = {"negatives": negatives, "lessons": lessons if more else None}
        train({**WITH, **more}, tiny.COMPUTE, encoder, *corpus, **places(folder), **given)
        logs[weight] = [line["loss"] for line in log_of(folder) if "loss" in line]
    np.testing.assert_allclose(logs[1e-6], logs[None], atol=1e-3)
    assert all(own > without for own, without in zip(logs[1][:3], logs[None][:3], strict=True))
    model = read_json(tmp_path / "1/model/muver.json")
    assert model["provenance"]["teacher"] == {"model": {}, "weight": 1}


def test_lessons_go_with_a_teacher(encoder, files, tmp_path):
    corpus, negatives, lessons = files
    given = {"negatives": negatives, "lessons": lessons}
    with pytest.raises(InputError, match="--lessons: goes with teacher in --settings"):
        train(WITH, tiny.COMPUTE, encoder, *corpus, **places(tmp_path), **given)
