"""AdamW as in transformers 4.1.1, with which the released systems were trained."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.optim import Optimizer


class ReleasedAdamW(Optimizer):
    """AdamW with two differences from torch's.

    Epsilon is added to the root of the second moment before its bias is corrected (the correction
    is part of the step size), so it weighs more in the first steps; and weights decay after the
    step, by ``lr * weight_decay`` of their new values.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ):
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        )

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Take one step along the gradients; weights without a gradient stay as they are."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    self._step_of(weight, group)
        return loss

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
