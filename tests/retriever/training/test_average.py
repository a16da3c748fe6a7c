"""Mean weights of several trainings, and of the encoder that they began with."""

import json
import math

import pytest
import torch

from muver.io.errors import InputError
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.training.average import average
from tests import tiny


@pytest.fixture
def trainings(encoder, tmp_path):
    """Two models, as two trainings might leave them."""
    for number, scale in enumerate((16.0, 25.0)):
        model = tiny.make_model(encoder, scale=scale, provenance={"seed": number})
        torch.manual_seed(number)
        with torch.no_grad():
            for weight in model.parameters():
                if weight.dim():
                    weight += torch.randn_like(weight)
        model.save_pretrained(tmp_path / str(number))
    return [tmp_path / "0", tmp_path / "1"]


def averaged(trainings, encoder, share):
    """The model that the stage writes, and its log."""
    out = trainings[0].parent / f"mean of {len(trainings)}"
    average(trainings, encoder, share, out / "log.jsonl", out)
    return BiEncoder.from_pretrained(out), json.loads((out / "log.jsonl").read_text())


def test_a_share_of_the_mean_of_two_trainings(trainings, encoder):
    model, log = averaged(trainings, encoder, 0.75)
    first, second = map(BiEncoder.from_pretrained, trainings)
    began = BiEncoder.from_encoder(encoder, first.config)
    tower = "mention_encoder.embeddings.word_embeddings.weight"
    own, *others = [one.state_dict()[tower][3, 5] for one in (model, began, first, second)]
    expected = 0.25 * others[0] + 0.375 * others[1] + 0.375 * others[2]
    torch.testing.assert_close(own, expected)
    assert not torch.equal(others[1], others[2])
    # The scale has no place in the encoder: the mean of its logarithms is that of 4^2 and 5^2.
    assert model.config.scale == pytest.approx(20)
    assert log == {"averaged": 2, "trained_share": 0.75}
    assert model.config.provenance == {"seed": [0, 1], "average": log}


def test_all_of_one_training_is_that_training(trainings, encoder):
    model, _ = averaged(trainings[:1], encoder, 1)
    trained = BiEncoder.from_pretrained(trainings[0])
    assert math.isclose(model.config.scale, trained.config.scale)
    for name, weight in model.named_parameters():
        torch.testing.assert_close(weight, trained.state_dict()[name], msg=name)


def test_a_model_of_another_size(trainings, encoder, tmp_path):
    larger = {**tiny.SCRATCH, "intermediate": 96}
    tiny.from_scratch(["king river tower"], tiny.Scratch(**larger), 7, tmp_path / "larger")
    tiny.make_model(tmp_path / "larger", scale=20.0).save_pretrained(tmp_path / "2")
    with pytest.raises(InputError, match=r"2: its weights are not of the sizes of .*0\. Give"):
        averaged([*trainings, tmp_path / "2"], encoder, 1)
    with pytest.raises(InputError, match=r"larger: its weights are not of the sizes"):
        averaged(trainings, tmp_path / "larger", 1)
    assert not (tmp_path / "mean of 3").exists()
