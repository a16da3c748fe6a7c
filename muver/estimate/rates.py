"""How fast this machine reads, encodes, trains and searches: measured in seconds, or given."""

import contextlib
import logging
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from muver.encoders.sizes import BertConfig
from muver.io.errors import InputError
from muver.io.progress import logger

PROBE_BYTES = 32 * 2**20  # of the dump that are read
SEARCHED = 2**14  # views that are searched
MOST = 2**17  # sequences of the largest measurement
FIRST = 8  # units of the first run: fewer would tell of single ones, not of batches


@dataclass(frozen=True)
class Rate:
    """``value`` units a second."""

    value: float
    unit: str
    origin: str = "measured"  # or "given" in the settings


@dataclass(frozen=True)
class Rates:
    """Rates of one job on this machine, as it would do if it were otherwise idle."""

    # By the kind of work (muver.estimate.stages.Work), then its name, or a length in tokens.
    known: Mapping[str, Mapping[str | int, Rate]] = field(default_factory=dict)
    device: str = ""  # where they were measured
    share: float = 1.0  # of the processor's time that measuring got

    def of(self, kind: str, name: str = "", length: float = 0) -> Rate | None:
        """The rate for a name, else for the nearest length; None where neither is known."""
        own = self.known.get(kind, {})
        lengths = [key for key in own if isinstance(key, int)]
        if name in own or not lengths:
            return own.get(name)
        return own[min(lengths, key=lambda one: abs(one - length))]

    def given(self, other: Mapping[str, Mapping[str, Rate]]) -> "Rates":
        """The same with given rates, which come before measured ones."""
        kinds = {**self.known, **other}
        known = {kind: {**self.known.get(kind, {}), **other.get(kind, {})} for kind in kinds}
        return Rates(known, self.device, self.share)

    def as_dict(self) -> dict[str, Any]:
        """As JSON has them."""
        known = {
            kind: {str(key): asdict(rate) for key, rate in own.items()}
            for kind, own in self.known.items()
        }
        return {"device": self.device, "share": self.share, **known}


def measure(
    encoder: BertConfig,
    compute: Mapping[str, Any],
    lengths: Sequence[int],
    seconds: float,
    dump: Path | None = None,
) -> Rates:
    """Measure with random weights and word pieces.

    Parameters
    ----------
    compute
        The section of params.yaml, which decides on device, threads and precisions.
    lengths
        Of the sequences that are encoded and trained on.
    seconds
        Of all measurements together, about; reading comes on top.
    dump
        KILT's knowledge source, of which the first 32 MiB are read.

    Raises
    ------
    InputError
        If the encoder has fewer positions than a sequence has tokens.
    """
    positions = encoder.max_position_embeddings
    if max(lengths, default=0) > positions:
        raise InputError(
            f"max_tokens: views or contexts have {max(lengths)} tokens, and the encoder has "
            f"{positions} positions. Lower max_tokens, or choose another encoder."
        )
    import torch

    from muver.encoders import device
    from muver.encoders.bert import Bert
    from muver.encoders.bulk import encode_vectors
    from muver.encoders.packing import pack

    accelerator = device.start(compute["device"], compute["precision"], compute["threads"])
    target = accelerator.device
    own = {**asdict(encoder), "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    tower = Bert(BertConfig(**own)).to(target)
    batch_tokens = device.batch_tokens(compute["batch_tokens"], target)
    random = np.random.default_rng(0)
    each = seconds / (2 * len(lengths) + 2)
    threads = compute["threads"] if target.type == "cpu" else None
    encoding: dict[str | int, Rate] = {}
    training: dict[str | int, Rate] = {}
    shares = []

    def rate(work: Callable[[int], Any], most: int, size: int, unit: str) -> Rate:
        """Rate of work whose unit has the given size."""
        value, share = undisturbed(work, each, most, threads)
        shares.append(share)
        return Rate(value * size, unit)

    bf16 = compute["training_precision"] == "bf16"
    for length in lengths:
        ids = random.integers(encoder.vocab_size, size=length).tolist()

        def encode(amount: int, ids: list[int] = ids) -> None:
            with accelerator.autocast():
                encode_vectors(
                    tower.first_states, [ids] * amount, encoder.hidden_size, batch_tokens, target
                )

        def train(amount: int, ids: list[int] = ids) -> None:
            most = max(batch_tokens // len(ids), 1)
            for start in range(0, amount, most):
                batch = pack([ids] * min(most, amount - start), target)
                with torch.autocast(target.type, torch.bfloat16, enabled=bf16):
                    loss = tower.first_states(batch).float().pow(2).mean()
                loss.backward()
                tower.zero_grad(set_to_none=True)
            if target.type == "cuda":
                torch.cuda.synchronize()

        tower.eval()
        encoding[length] = rate(encode, MOST, length, "tokens")
        tower.train()
        training[length] = rate(train, MOST, length, "tokens")
    views = torch.from_numpy(random.standard_normal((SEARCHED, encoder.hidden_size), np.float32))
    known: dict[str, dict[str | int, Rate]] = {
        "encode": encoding,
        "train": training,
        "multiply": {
            "": rate(lambda amount: views[:amount] @ views.T, SEARCHED, SEARCHED, "products")
        },
    }
    with exact_search(encoder.hidden_size) as search:
        known["search"] = {"exact": rate(search, 4096, SEARCHED, "products")}
    if dump is not None:
        known["read"] = {"": reading_rate(dump)}
    return Rates(known, target.type, float(np.mean(shares)))


def growing(work: Callable[[int], Any], seconds: float, most: int) -> float:
    """Units a second, of the last of runs that double until one takes long enough.

    A run is long enough at a third of ``seconds``, so that all of them take about that together.
    The first has :data:`FIRST` units, the largest ``most``. One unit is done before, to warm up.
    """
    work(1)
    amount = min(FIRST, most)
    while True:
        started = time.perf_counter()
        work(amount)
        took = max(time.perf_counter() - started, 1e-9)
        if took >= seconds / 3 or amount >= most:
            return amount / took
        amount = min(2 * amount, most)


def undisturbed(
    work: Callable[[int], Any], seconds: float, most: int, threads: int | None
) -> tuple[float, float]:
    """Units a second with the processor to itself, and the share of it that the work got.

    On a busy machine much of the time goes to others; what a process computed for is known. On a
    GPU (``threads`` None) the clock alone counts.
    """
    wall, own = time.perf_counter(), time.process_time()
    value = growing(work, seconds, most)
    if threads is None:
        return value, 1.0
    spent = (time.perf_counter() - wall) * threads
    share = min(max((time.process_time() - own) / spent, 0.01), 1.0)
    return value / share, share


def reading_rate(dump: Path) -> Rate:
    """Megabytes a second of one process that reads the dump as ``muver kb`` does."""
    from muver.corpus.kilt.make import read_part
    from muver.corpus.kilt.parts import plan_parts
    from muver.corpus.settings import ReadDump

    settings = ReadDump(
        paragraphs=5, part_bytes=PROBE_BYTES, bad_lines=100, bad_share=0.001, duplicates="first"
    )
    part = plan_parts(dump, PROBE_BYTES)[0]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        read_part(dump, part, folder, settings)
        took = time.perf_counter() - started
    return Rate((part.stop - part.start) / 10**6 / took, "MB")


@contextlib.contextmanager
def exact_search(dimension: int) -> Iterator[Callable[[int], Any]]:
    """Exact search of so many mentions in :data:`SEARCHED` random views, stored in 16 bits."""
    from muver.retrieval.ann.flat import search_exact
    from muver.vectors.shards import Shards, write_part

    random = np.random.default_rng(0)
    views = random.standard_normal((SEARCHED, dimension), dtype=np.float32).astype(np.float16)
    mentions = random.standard_normal((4096, dimension), dtype=np.float32)
    before = logger.level
    logger.setLevel(logging.WARNING)  # no progress lines of what is only measured
    try:
        with tempfile.TemporaryDirectory() as folder:
            write_part(folder, 0, views, np.ones(SEARCHED, np.int64), "random", "random")
            shards = Shards(folder)
            yield lambda amount: search_exact(shards, mentions[:amount], 100)
    finally:
        logger.setLevel(before)
