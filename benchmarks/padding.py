"""Encoding views grouped by length, against the plain way: in order, all padded to one length."""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import torch

from muver.encoders.biencoder import BiEncoder
from muver.encoders.bulk import encode_vectors
from muver.views.store import ViewStore


@torch.inference_mode()
def plain(model: BiEncoder, sequences: list[list[int]], rows: int = 100) -> np.ndarray:
    """Encode in the given order, ``rows`` at a time, every one padded to the model's limit."""
    length = model.config.views["max_tokens"]
    vectors = []
    for start in range(0, len(sequences), rows):
        ids = torch.zeros((len(sequences[start : start + rows]), length), dtype=torch.int64)
        for row, sequence in enumerate(sequences[start : start + rows]):
            ids[row, : len(sequence)] = torch.tensor(sequence)
        vectors.append(model.encode_views(ids, (ids != 0).long()).numpy())
    return np.concatenate(vectors)


def main() -> None:
    """Encode the same views both ways, in turn, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workspace", type=Path, default=Path("build/miniwikia"))
    parser.add_argument("--model", default="muver")
    parser.add_argument("--views", type=int, default=4000)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    model = BiEncoder.from_pretrained(args.workspace / "models" / args.model).eval()
    layer = ViewStore(args.workspace / "stores" / args.model).layer(0)
    sequences = [ids for world in layer.worlds for ids in layer.world(world).ids.to_pylist()]
    sequences = sequences[: args.views]
    ratios = []
    for _ in range(5):
        started = time.perf_counter()
        one = plain(model, sequences)
        middle = time.perf_counter()
        other = encode_vectors(model.encode_views, sequences, model.dimension, 4096)
        ratios.append((middle - started) / (time.perf_counter() - middle))
    tokens = sum(len(ids) for ids in sequences) / len(sequences)
    print(f"{len(sequences)} views of {tokens:.1f} tokens on average")
    print(f"greatest difference of a number: {np.abs(one - other).max():.1e}")
    print(f"grouped by length is {statistics.median(ratios):.2f} x as fast (median of 5)")


if __name__ == "__main__":
    main()
