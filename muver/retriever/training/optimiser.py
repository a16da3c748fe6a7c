"""AdamW, torch's or that of the released systems, and its learning-rate schedule."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import torch
from torch import nn
from torch.optim import AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR


class ReleasedAdamW(Optimizer):
    """AdamW as in transformers 4.1.1, with two differences from torch's.

    Epsilon is added to the root of the second moment before its bias is corrected (the correction
    is part of the step size), so it weighs more in the first steps; and weights decay after the
    step, by ``lr * weight_decay`` of their new values. The settings have torch's names; ``lr`` and
    ``eps`` are needed.
    """

    def __init__(self, params: Any, **settings: Any):
        super().__init__(params, {"betas": (0.9, 0.999), "weight_decay": 0.0, **settings})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        """Take one step along the gradients; weights without a gradient stay as they are."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    self._step_of(weight, group)

    def _step_of(self, weight: torch.Tensor, group: dict[str, Any]) -> None:
        state = self.state[weight]
        if not state:
            state.update(step=0, first=torch.zeros_like(weight), second=torch.zeros_like(weight))
        state["step"] += 1
        beta1, beta2 = group["betas"]
        state["first"].lerp_(weight.grad, 1 - beta1)
        state["second"].mul_(beta2).addcmul_(weight.grad, weight.grad, value=1 - beta2)
        correction = math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
        denominator = state["second"].sqrt().add_(group["eps"])
        weight.addcdiv_(state["first"], denominator, value=-group["lr"] * correction)
        if group["weight_decay"]:
            weight.mul_(1 - group["lr"] * group["weight_decay"])


KINDS: dict[str, Callable[..., Optimizer]] = {
    "adamw": partial(AdamW, fused=True),  # one pass over each weight, on a CPU too
    "adamw_released": ReleasedAdamW,
}


def build_optimiser(
    model: nn.Module,
    learning_rate: float,
    weight_decay: float,
    epsilon: float,
    kind: Literal["adamw", "adamw_released"] = "adamw",
) -> Optimizer:
    """AdamW over a model's weights; biases and layer norms, which are vectors, are not decayed."""
    weights = list(model.parameters())
    groups = [
        {"params": [w for w in weights if w.dim() > 1], "weight_decay": weight_decay},
        {"params": [w for w in weights if w.dim() < 2], "weight_decay": 0.0},
    ]
    return KINDS[kind](groups, lr=learning_rate, eps=epsilon)


def planned_steps(mentions: int, batch_size: int, epochs: int) -> int:
    """The schedule's number of steps: mentions x epochs // batch size, but at least one.

    Short batches at the ends of worlds make a few more steps than this; as released, they run at a
    learning rate of 0.
    """
    return max(mentions * epochs // batch_size, 1)


def warm_up_then_decay(optimiser: Optimizer, warmup: float, steps: int) -> LambdaLR:
    """Linear rise over the first int(warmup * steps) steps, then linear fall to 0 at ``steps``."""
    rise = int(warmup * steps)

    def factor(step: int) -> float:
        if step < rise:
            return step / max(rise, 1)
        return max((steps - step) / max(steps - rise, 1), 0.0)

    return LambdaLR(optimiser, factor)
