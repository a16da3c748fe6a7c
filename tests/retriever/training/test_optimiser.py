"""AdamW's groups and the schedule, by hand."""

import pytest
import torch
from torch.optim import AdamW

from muver.retriever.training.adamw_released import ReleasedAdamW
from muver.retriever.training.optimiser import build_optimiser, planned_steps, warm_up_then_decay
from tests import tiny

KINDS = {"adamw": AdamW, "adamw_released": ReleasedAdamW}


@pytest.mark.parametrize("kind", KINDS)
def test_biases_and_layer_norms_are_not_decayed(encoder, kind):
    model = tiny.make_model(encoder)
    optimiser = build_optimiser(model, 0.5, 0.01, 1e-6, kind)
    assert type(optimiser) is KINDS[kind]
    decay = {
        id(weight): group["weight_decay"]
        for group in optimiser.param_groups
        for weight in group["params"]
    }
    names = dict(model.named_parameters())
    assert len(decay) == len(names)
    plain = {name for name, weight in names.items() if decay[id(weight)] == 0}
    assert plain == {name for name in names if name.endswith(".bias") or "LayerNorm" in name}
    assert {decay[id(w)] for name, w in names.items() if name not in plain} == {0.01}
    assert all(group["eps"] == 1e-6 for group in optimiser.param_groups)
    assert "mention_encoder.embeddings.word_embeddings.weight" in set(names) - plain


@pytest.mark.parametrize(
    "mentions, batch, epochs, steps", [(100, 32, 3, 9), (128, 128, 1, 1), (5, 128, 1, 1)]
)
def test_planned_steps(mentions, batch, epochs, steps):
    assert planned_steps(mentions, batch, epochs) == steps


def rates(warmup: float, steps: int, count: int) -> list[float]:
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=8.0)
    schedule = warm_up_then_decay(optimiser, warmup, steps)
    seen = []
    for _ in range(count):
        seen.append(schedule.get_last_lr()[0])
        optimiser.step()
        schedule.step()
    return seen


def test_schedule():
    # int(.25 * 10) = 2 steps up, 8 down, and 0 ever after.
    assert rates(0.25, 10, 12) == [0, 4, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]
    assert rates(0.0, 4, 5) == [8, 6, 4, 2, 0]
    assert rates(1.0, 4, 6) == [0, 2, 4, 6, 0, 0]
