"""AdamW's groups, the released AdamW and the schedule, by hand."""

import math

import pytest
import torch
from torch.optim import AdamW

from muver.retriever.training.optimiser import (
    ReleasedAdamW,
    build_optimiser,
    planned_steps,
    warm_up_then_decay,
)
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
    "mentions, batch, epochs, steps", [(31, 16, 3, 5), (128, 128, 1, 1), (5, 128, 1, 1)]
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


def make(value: float, **more) -> tuple[torch.nn.Parameter, ReleasedAdamW]:
    weight = torch.nn.Parameter(torch.tensor([value]))
    return weight, ReleasedAdamW([weight], lr=0.1, betas=(0.5, 0.75), eps=0.25, **more)


def step(weight, optimiser, gradient: float) -> float:
    weight.grad = torch.tensor([gradient])
    optimiser.step()
    return weight.item()


def test_two_steps():
    weight, optimiser = make(2.0, weight_decay=0.5)
    # Moments .5 * 1 = .5 and .25 * 1 = .25; the step size .1 * sqrt(.25) / .5 = .1.
    # 2 - .1 * .5 / (sqrt(.25) + .25) = 2 - .05 / .75, then less .1 * .5 of itself.
    first = (2 - 0.05 / 0.75) * 0.95
    assert step(weight, optimiser, 1.0) == pytest.approx(first)
    # Moments .25 + .5 * -3 = -1.25 and .1875 + .25 * 9 = 2.4375; correction sqrt(.4375) / .75.
    size = 0.1 * math.sqrt(1 - 0.75**2) / (1 - 0.5**2)
    second = (first + size * 1.25 / (math.sqrt(2.4375) + 0.25)) * 0.95
    assert step(weight, optimiser, -3.0) == pytest.approx(second)


def test_with_hardly_an_epsilon_and_no_decay_it_is_torch_s():
    torch.manual_seed(1)
    start = torch.randn(5)
    ours, other = (torch.nn.Parameter(start.clone()) for _ in range(2))
    optimisers = (
        ReleasedAdamW([ours], lr=0.1, eps=1e-12),
        torch.optim.AdamW([other], lr=0.1, eps=1e-12, weight_decay=0.0),
    )
    for _ in range(4):
        ours.grad = other.grad = torch.randn(5)
        for optimiser in optimisers:
            optimiser.step()
    torch.testing.assert_close(ours, other)
