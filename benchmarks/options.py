"""The options of a run of the benchmarks."""

from dataclasses import dataclass
from pathlib import Path

PHASES = (
    "peak",
    "encoding",
    "merging",
    "ranking",
    "bm25",
    "training",
    "profile",
    "memory",
    "end_to_end",
    "projection",
    "kb_import",
    "service",
)


@dataclass(frozen=True)
class Options:
    """The options of one run.

    Attributes
    ----------
    workspace, dataset, encoder
        Data: a folder that the main job built; or a directory in ZESHEL's format with a BERT
        directory; or neither, for made sequences and a random BERT of ``layers`` and ``hidden``.
    entities, merged_entities
        Sample sizes for encoding and merging.
    batch_tokens
        Tokens of a batch of our encoding.
    repetitions
        Number of times to run each side; results are medians.
    """

    device: str
    threads: int
    precisions: tuple[str, ...]
    layers: int
    hidden: int
    entities: int
    merged_entities: int
    batch_tokens: int
    repetitions: int
    workspace: Path | None = None
    model: str = "muver"
    dataset: Path | None = None
    encoder: Path | None = None
    quick: bool = False
    large: bool = False
