"""AdamW and its learning-rate schedule."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from torch import nn
from torch.optim import AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR

from muver.retriever.training.adamw_released import ReleasedAdamW

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
    """AdamW over all weights of the towers, torch's or that of the released code.

    Biases and layer norms, which are vectors, are not decayed.
    """
    weights = list(model.parameters())
    groups = [
        {"params": [one for one in weights if one.dim() > 1], "weight_decay": weight_decay},
        {"params": [one for one in weights if one.dim() < 2], "weight_decay": 0.0},
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
