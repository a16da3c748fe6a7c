"""Settings of encoders: sections ``scratch`` and ``compute`` of params.yaml."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from muver.io.typed import Count, Natural, Positive, Settings, Share

Pooling = Literal["cls", "last", "special", "span", "all"]
Vectors = Literal["raw", "unit"]
Precision = Literal["fp32", "bf16", "int8", "auto"]


class Scratch(Settings):
    """A small BERT that is made from scratch."""

    vocabulary: Annotated[int, Meta(ge=100)]
    layers: Count
    hidden: Count
    heads: Count
    intermediate: Count
    positions: Count
    dropout: Share
    initializer_range: Positive

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ValueError(
                f"hidden is {self.hidden}, which heads ({self.heads}) does not divide. Choose a "
                "multiple."
            )


class FromScratch(Settings):
    """What ``muver stage encoder --source scratch`` takes; ``auto``: with its pooling."""

    scratch: Scratch
    seed: Natural
    pooling: Literal["auto"] | UnsetType = UNSET


class Pretrained(Settings):
    """What ``muver stage encoder`` takes for an existing BERT; ``auto``: as its makers pool."""

    pooling: Literal["auto"] | UnsetType = UNSET


class Encoding(Settings):
    """Where and how precisely a job encodes."""

    device: Literal["auto", "cpu", "cuda"]
    precision: Precision
    threads: Count
    processes: Count
    batch_tokens: Count | Literal["auto"]

    def as_dict(self) -> dict[str, Any]:
        """As manifests have it: a stage's own settings come first."""
        own = super().as_dict()
        shared = {key: own.pop(key) for key in Encoding.__struct_fields__}
        return own | shared


class Compute(Encoding):
    """Where, in how many processes and how precisely jobs compute."""

    training_precision: Literal["fp32", "bf16", "auto"]
