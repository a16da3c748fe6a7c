"""How fast this machine encodes and trains: measured in some seconds, with towers of the sizes."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from muver.plan.rate import growing

MOST = 2**17  # sequences of the largest measurement


@dataclass(frozen=True)
class Rates:
    """Of one job.

    Attributes
    ----------
    encoding, training
        Tokens a second of sequences so long: length to rate. Training is forward and backward.
    products
        Products of two vectors a second.
    device
        Where it was measured.
    share
        Of the threads' time that the measurement got, on a processor. Rates are of a whole share:
        what an otherwise idle machine would do.
    """

    encoding: Mapping[int, float]
    training: Mapping[int, float]
    products: float
    device: str
    share: float = 1.0

    def encode(self, length: float) -> float:
        """The rate of the measured length that is nearest."""
        return self.encoding[min(self.encoding, key=lambda one: abs(one - length))]

    def train(self, length: float) -> float:
        """As :meth:`encode`."""
        return self.training[min(self.training, key=lambda one: abs(one - length))]


def measure(
    sizes: Mapping[str, int], compute: Mapping[str, Any], lengths: list[int], seconds: float
) -> Rates:
    """Measure on random weights and random word pieces of these sizes.

    Parameters
    ----------
    compute
        The section, which decides on device, threads and precisions.
    seconds
        Of all measurements together, about.
    """
    import torch

    from muver.encoders import device
    from muver.encoders.bert import Bert, BertConfig
    from muver.encoders.bulk import encode_vectors
    from muver.encoders.packing import pack

    accelerator = device.start({**compute, "precision": compute["precision"]})
    place = accelerator.device
    own = {**sizes, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    tower = Bert(BertConfig(**own)).to(place)
    batch_tokens = device.batch_tokens(compute["batch_tokens"], place)
    random = np.random.default_rng(0)
    each = seconds / (2 * len(lengths) + 1)
    threads = compute["threads"] if place.type == "cpu" else None
    encoding, training, shares = {}, {}, []

    def rate(work: Callable[[int], None], most: int) -> float:
        found, share = _undisturbed(work, each, most, threads)
        shares.append(share)
        return found

    bf16 = compute["training_precision"] == "bf16"
    for length in lengths:
        ids = random.integers(sizes["vocab_size"], size=length).tolist()

        def encode(amount: int, ids: list[int] = ids) -> None:
            with accelerator.autocast():
                encode_vectors(
                    tower.first_states, [ids] * amount, sizes["hidden_size"], batch_tokens, place
                )

        def train(amount: int, ids: list[int] = ids) -> None:
            most = max(batch_tokens // len(ids), 1)
            for start in range(0, amount, most):
                batch = pack([ids] * min(most, amount - start), place)
                with torch.autocast(place.type, torch.bfloat16, enabled=bf16):
                    loss = tower.first_states(batch).float().pow(2).mean()
                loss.backward()
                tower.zero_grad(set_to_none=True)
            if place.type == "cuda":
                torch.cuda.synchronize()

        tower.eval()
        encoding[length] = rate(encode, MOST) * length
        tower.train()
        training[length] = rate(train, MOST) * length
    views = torch.from_numpy(random.standard_normal((2**14, sizes["hidden_size"]), np.float32))

    def search(amount: int) -> None:
        torch.matmul(views[:amount], views.T)

    products = rate(search, len(views)) * len(views)
    return Rates(encoding, training, products, place.type, float(np.mean(shares)))


def _undisturbed(
    work: Callable[[int], None], seconds: float, most: int, threads: int | None
) -> tuple[float, float]:
    """Units a second with the processor to itself, and the share of it that we got.

    On a busy machine much of the time goes to others; what a process computed for is known.
    """
    wall, own = time.perf_counter(), time.process_time()
    found = growing(work, seconds, most)
    if threads is None:
        return found, 1.0
    spent = (time.perf_counter() - wall) * threads
    share = min(max((time.process_time() - own) / spent, 0.01), 1.0)
    return found / share, share
