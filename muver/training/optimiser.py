"""AdamW and its schedule."""

from typing import Any

from torch import nn
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR

NOT_DECAYED = ("bias", "LayerNorm.weight")


def build_optimiser(model: nn.Module, settings: dict[str, Any]) -> AdamW:
    """AdamW over all weights of the towers; biases and layer norms are not decayed.

    Parameters
    ----------
    settings
        ``learning_rate``, ``weight_decay``, ``adam_epsilon``.
    """
    decayed, plain = [], []
    for name, weight in model.named_parameters():
        (plain if name.endswith(NOT_DECAYED) else decayed).append(weight)
    groups = [
        {"params": decayed, "weight_decay": settings["weight_decay"]},
        {"params": plain, "weight_decay": 0.0},
    ]
    return AdamW(groups, lr=settings["learning_rate"], eps=settings["adam_epsilon"])


def planned_steps(mentions: int, batch_size: int, epochs: int) -> int:
    """Steps the schedule is laid out for: mentions x epochs // batch size, one at least.

    Ragged batches at the ends of worlds make a few more steps than this; as released, they run at
    a learning rate of 0.
    """
    return max(mentions * epochs // batch_size, 1)


def warm_up_then_decay(optimiser: AdamW, warmup: float, steps: int) -> LambdaLR:
    """Linear rise over the first int(warmup * steps) steps, then linear fall to 0 at ``steps``."""
    rise = int(warmup * steps)

    def factor(step: int) -> float:
        if step < rise:
            return step / max(rise, 1)
        return max((steps - step) / max(steps - rise, 1), 0.0)

    return LambdaLR(optimiser, factor)
