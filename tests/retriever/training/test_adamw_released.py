"""The released AdamW, two steps by hand."""

import copy
import math

import pytest
import torch

from muver.retriever.training.adamw_released import ReleasedAdamW


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


def test_epsilon_weighs_more_in_the_first_step_than_in_torch_s():
    weight, optimiser = make(2.0)
    other = torch.nn.Parameter(torch.tensor([2.0]))
    torchs = torch.optim.AdamW([other], lr=0.1, betas=(0.5, 0.75), eps=0.25, weight_decay=0.0)
    assert step(weight, optimiser, 1.0) == pytest.approx(2 - 0.05 / 0.75)
    assert step(other, torchs, 1.0) == pytest.approx(2 - 0.1 / 1.25)


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


def test_a_weight_without_a_gradient_stays_even_undecayed():
    weight, optimiser = make(2.0, weight_decay=0.5)
    optimiser.step()
    assert weight.item() == 2.0


def test_groups_decay_on_their_own():
    weights = [torch.nn.Parameter(torch.tensor([2.0])) for _ in range(2)]
    groups = [
        {"params": weights[:1], "weight_decay": 0.5},
        {"params": weights[1:], "weight_decay": 0.0},
    ]
    optimiser = ReleasedAdamW(groups, lr=0.1, betas=(0.5, 0.75), eps=0.25)
    for weight in weights:
        weight.grad = torch.zeros(1)
    optimiser.step()
    assert [weight.item() for weight in weights] == [pytest.approx(1.9), 2.0]


def test_its_state_can_be_saved_and_loaded():
    weight, optimiser = make(2.0, weight_decay=0.5)
    step(weight, optimiser, 1.0)
    other, resumed = make(weight.item(), weight_decay=0.5)
    resumed.load_state_dict(copy.deepcopy(optimiser.state_dict()))
    assert step(other, resumed, -3.0) == step(weight, optimiser, -3.0)


def test_a_closure_is_called_with_gradients():
    weight, optimiser = make(2.0)

    def closure():
        loss = (weight**2).sum()
        loss.backward()
        return loss.item()

    assert optimiser.step(closure) == 4.0
    assert weight.item() < 2.0
