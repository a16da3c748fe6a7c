"""Low-rank adapters: a model's matrices stay as downloaded but for a learnt product of two thin ones."""

import torch
from torch import nn


class Adapter(nn.Module):
    """What is learnt of a model with adapters of a rank (Hu et al., LoRA, ICLR 2022).

    Each matrix of a layer is W = W0 + 2 B A, with A (rank, inputs) drawn and B (outputs, rank) of
    zeros; biases and layer norms are learnt as they are, embeddings stay. The model keeps W, which
    any pass may use, and its gradient G gives those of A and B: 2 B'G and 2 GA'.
    """

    SCALE = 2.0

    def __init__(self, model: nn.Module, rank: int):
        super().__init__()
        weights = dict(model.named_parameters())
        self.adapted = [
            weight for name, weight in weights.items()
            if weight.dim() == 2 and "embeddings" not in name
        ]  # fmt: skip
        drawn = torch.Generator().manual_seed(0)
        self.first = nn.ParameterList(
            torch.randn(rank, weight.shape[1], generator=drawn) / weight.shape[1] ** 0.5
            for weight in self.adapted
        )
        self.second = nn.ParameterList(
            torch.zeros(weight.shape[0], rank) for weight in self.adapted
        )
        self.vectors = nn.ParameterList(
            weight for name, weight in weights.items() if weight.dim() == 1
        )
        self.start = [weight.detach().clone() for weight in self.adapted]

    @torch.no_grad()
    def take_gradients(self) -> None:
        """Make the gradients of the adapters from those of the model's matrices."""
        for weight, first, second in zip(self.adapted, self.first, self.second, strict=True):
            if weight.grad is not None:
                first.grad = self.SCALE * second.T @ weight.grad
                second.grad = self.SCALE * weight.grad @ first.T
                weight.grad = None

    @torch.no_grad()
    def put(self) -> None:
        """Put the adapted matrices into the model."""
        for weight, start, first, second in zip(
            self.adapted, self.start, self.first, self.second, strict=True
        ):
            weight.copy_(start).addmm_(second, first, alpha=self.SCALE)
