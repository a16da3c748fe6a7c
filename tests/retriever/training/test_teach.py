"""A teacher: what it scores, its loss, and a training with it."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from msgspec import UNSET

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import read
from muver.retriever.corpus.schema import lessons_of
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.packing import pack
from muver.retriever.encoders.settings import Machine
from muver.retriever.training.batches import Lesson
from muver.retriever.training.examples import lay_out, lesson_of
from muver.retriever.training.run import trainer_of
from muver.retriever.training.settings import ModelTraining
from muver.retriever.training.step import backward_through_batch
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


@pytest.mark.parametrize("whole", [UNSET, 12])
def test_views_are_taught_one_by_one(encoder, corpus, tmp_path, whole):
    """Scores are of the views that training lays out, of the gold and then of each negative.

    Pages that mentions stand on, and views of whole descriptions, are taught nothing.
    """
    model = make_cross(encoder)
    model.save_pretrained(tmp_path / "cross")
    negatives = write_negatives(tmp_path / "negatives.parquet", NUMBERS)
    lessons = tmp_path / "lessons.parquet"
    asked = tiny.settings(Teach, per_mention=2, views=tiny.SENTENCE_VIEWS)
    teach(tmp_path / "cross", *corpus, negatives, lessons, tmp_path / "lessons.json", asked)
    training = {**SETTINGS["training"], **({"global_view": whole} if whole else {})}
    with_views = {"weight": 2, "over": "views"}
    given = {**SETTINGS, "negatives": {"per_mention": 2}, "teacher": with_views}
    trainer = trainer_of(
        read(ModelTraining, {**given, "training": training}), read(Machine, tiny.COMPUTE), encoder,
        *corpus, negatives, tmp_path / "checkpoints", lessons,
    )  # fmt: skip
    for world in trainer.worlds:
        for own in world.negatives:
            own.append((own[-1] + 1) % 12)  # as a page that the mention stands on
    batch = trainer.batches(1)[0]
    examples = [trainer.examples[number] for number in batch]
    laid_out = lay_out(trainer.worlds, examples, trainer._training_views)
    lesson = lesson_of(trainer.teacher, trainer.worlds, examples, laid_out, 1 if whole else 0)
    assert (lesson.weight, lesson.over_views) == (2, True)
    contexts, views, _, candidates = laid_out
    flat = [ids for some in views for ids in some]
    for context, own, columns, scores in zip(
        contexts, candidates, lesson.candidates, lesson.scores, strict=True
    ):
        kept = [ids for one in own[:3] for ids in (views[one][:-1] if whole else views[one])]
        assert [flat[column] for column in columns] == kept
        (expected,) = model.scores([model.pairs(context, kept)], 400, CPU)
        np.testing.assert_allclose(scores, expected, atol=1e-6)
        assert len(own) == 4


@pytest.mark.parametrize("share", [0, 0.01, 0.5])
def test_only_the_mentions_that_a_training_sees_are_scored(encoder, corpus, files, tmp_path, share):
    """The training looks up each of its examples; the scores are those that all of them get."""
    _, negatives, lessons = files
    some, manifest = tmp_path / "some.parquet", tmp_path / "some.json"
    asked = tiny.settings(Teach, per_mention=3, labelled=share, seed=SETTINGS["seed"])
    teach(tmp_path / "cross", *corpus, negatives, some, manifest, asked)
    training = {**SETTINGS["training"], "labelled": share}
    trainer = trainer_of(
        read(ModelTraining, {**WITH, "training": training, "teacher": {"weight": 1}}),
        read(Machine, tiny.COMPUTE), encoder, *corpus, negatives, tmp_path / "checkpoints", some,
    )  # fmt: skip
    found, every = lessons_of(some), lessons_of(lessons)
    sees = {trainer.worlds[place].mention_ids[mention] for place, mention in trainer.examples}
    assert found.keys() == sees and len(sees) < len(every)
    for mention, scores in found.items():
        np.testing.assert_allclose(scores, every[mention], atol=1e-6)


@pytest.mark.parametrize("metric", ["dot", "l2"])
def test_the_gradient_of_a_lesson_on_views(encoder, metric):
    """It is that of the divergence over single views, whatever an entity's best one is."""
    model = tiny.make_model(encoder, metric=metric).eval()
    contexts, views = [[5, 40, 6], [5, 41, 6]], [[[5, 50, 6], [5, 51, 6]], [[5, 52, 6]]]
    lesson = Lesson([[0, 1, 2], [2, 0]], [[1.0, 0.0, 2.0], [0.5, 0.0]], 3.0, over_views=True)
    where = Accelerator(cpu=True), 4096, 4096

    def gradients() -> torch.Tensor:
        own = [w.grad.flatten().clone() for w in model.parameters() if w.grad is not None]
        model.zero_grad()
        return torch.cat(own)

    losses, found = [], []
    for own in (None, lesson):
        losses.append(
            backward_through_batch(model, contexts, views, np.array([0, 1]), *where, lesson=own)
        )
        found.append(gradients())
    flat = [ids for some in views for ids in some]
    encoded = [encode(pack(some)) for encode, some in
               ((model.encode_mentions, contexts), (model.encode_views, flat))]  # fmt: skip
    near = encoded[0] @ encoded[1].T if metric == "dot" else -torch.cdist(*encoded)
    expected = lesson.loss(near)
    assert losses[1] - losses[0] == pytest.approx(expected.item(), abs=1e-5)
    expected.backward()
    torch.testing.assert_close(found[1] - found[0], gradients(), rtol=1e-4, atol=1e-5)


def test_scores_are_of_the_gold_and_then_of_the_negatives(files, tmp_path):
    corpus, _, lessons = files
    model = CrossEncoder.from_pretrained(tmp_path / "cross").eval()
    found = lessons_of(lessons)
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
