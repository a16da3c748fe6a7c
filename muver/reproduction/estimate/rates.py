"""How fast this machine reads, encodes, trains and searches: measured in seconds, or given."""

import contextlib
import logging
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.retriever.encoders.sizes import BertConfig

PROBE_BYTES = 32 * 2**20  # of the dump that are read
SEARCHED = 2**14  # views that are searched
MENTIONS = 2**12  # the most that are searched for
SEQUENCES = 2**17  # the most that are encoded
FIRST = 8  # units of the first run: fewer would measure single ones and no batches


@dataclass(frozen=True)
class Rate:
    """``value`` units a second."""

    value: float
    unit: str
    origin: str = "measured"  # or "given" in the settings


Known = Mapping[str, Mapping[str | int, Rate]]


@dataclass(frozen=True)
class Rates:
    """Rates of one job on this machine when nothing else runs."""

    # By the kind of work (estimate.stages.Work), then its name, or a length in tokens.
    known: Known = field(default_factory=dict)
    device: str = ""  # where they were measured
    share: float = 1.0  # of the processor's time that measuring got

    def of(self, kind: str, name: str = "", length: float = 0) -> Rate | None:
        """The rate for a name, else for the nearest length; None where neither is known."""
        own = self.known.get(kind, {})
        lengths = [key for key in own if isinstance(key, int)]
        if name in own or not lengths:
            return own.get(name)
        return own[min(lengths, key=lambda one: abs(one - length))]

    def given(self, other: Known) -> "Rates":
        """The same with given rates, which come before measured ones."""
        kinds = {**self.known, **other}
        known = {kind: {**self.known.get(kind, {}), **other.get(kind, {})} for kind in kinds}
        return replace(self, known=known)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        known = msgspec.to_builtins(self.known, str_keys=True)
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
        Roughly, of all measurements together; reading comes on top.
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

    from muver.retriever.encoders import device
    from muver.retriever.encoders.bert import Bert
    from muver.retriever.encoders.bulk import encode_vectors
    from muver.retriever.encoders.int8 import to_precision
    from muver.retriever.encoders.packing import pack

    accelerator = device.start(compute["device"], compute["precision"], compute["threads"])
    target, size = accelerator.device, encoder.hidden_size
    tower = Bert(encoder).to(target)
    coder = to_precision(deepcopy(tower).eval(), compute["precision"])
    batch_tokens = device.batch_tokens(compute["batch_tokens"], target)
    bf16 = compute["training_precision"] == "bf16"
    random = np.random.default_rng(0)
    views = torch.from_numpy(random.standard_normal((SEARCHED, size), np.float32))

    def encode(ids: list[int], amount: int) -> None:
        with accelerator.autocast():
            encode_vectors(coder.first_states, [ids] * amount, size, batch_tokens, target)

    def train(ids: list[int], amount: int) -> None:
        most = max(batch_tokens // len(ids), 1)
        for start in range(0, amount, most):
            batch = pack([ids] * min(most, amount - start), target)
            with torch.autocast(target.type, torch.bfloat16, enabled=bf16):
                loss = tower.first_states(batch).float().pow(2).mean()
            loss.backward()
            tower.zero_grad(set_to_none=True)
        if target.type == "cuda":
            torch.cuda.synchronize()

    each = seconds / (2 * len(lengths) + 2)
    threads = compute["threads"] if target.type == "cpu" else None
    shares = []

    def rate(work: Callable[[int], Any], most: int, amount: int, unit: str) -> Rate:
        """The rate of work that has so many units of amount."""
        value, share = undisturbed(work, each, most, threads)
        shares.append(share)
        return Rate(value * amount, unit)

    known: dict[str, dict[str | int, Rate]] = {"encode": {}, "train": {}}
    for length in lengths:
        ids = random.integers(encoder.vocab_size, size=length).tolist()
        known["encode"][length] = rate(partial(encode, ids), SEQUENCES, length, "tokens")
        known["train"][length] = rate(partial(train, ids), SEQUENCES, length, "tokens")
    product = rate(lambda amount: views[:amount] @ views.T, SEARCHED, SEARCHED, "products")
    known["multiply"] = {"": product}
    with exact_search(size, compute["threads"]) as search:
        known["search"] = {"exact": rate(search, MENTIONS, SEARCHED, "products")}
    if dump is not None:
        known["read"] = {"": reading_rate(dump)}
    return Rates(known, target.type, float(np.mean(shares)))


def growing(work: Callable[[int], Any], seconds: float, most: int) -> float:
    """Units a second, from runs that double until one takes a third of ``seconds``: the last.

    So all of them take about ``seconds``. The first has :data:`FIRST` units, the largest ``most``.
    One unit is done before, to warm up.
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

    On a busy machine other programs take much of the time, so the process's own time counts. On a
    GPU (``threads`` None) the clock alone does.
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
    from muver.kb.importing.parts import read_dump
    from muver.retriever.corpus.settings import ReadDump

    settings = ReadDump(
        paragraphs=5, part_bytes=PROBE_BYTES, bad_lines=100, bad_share=0.001, duplicates="first"
    )
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder, "start")
        with open(dump, "rb") as file:
            whole, _, _ = file.read(PROBE_BYTES).rpartition(b"\n")
        start.write_bytes(whole)
        started = time.perf_counter()
        read_dump(start, Path(folder, "kb"), settings)
        took = time.perf_counter() - started
    return Rate(len(whole) / 10**6 / took, "MB")


@contextlib.contextmanager
def exact_search(dimension: int, threads: int) -> Iterator[Callable[[int], Any]]:
    """Exact search of so many mentions in :data:`SEARCHED` random views, stored in 16 bits."""
    from muver.retriever.retrieval.ann.flat import search_exact
    from muver.retriever.vectors.shards import Shards, write_part

    random = np.random.default_rng(0)
    views = random.standard_normal((SEARCHED, dimension), dtype=np.float32).astype(np.float16)
    mentions = random.standard_normal((MENTIONS, dimension), dtype=np.float32)
    before = logger.level
    logger.setLevel(logging.WARNING)  # without the search's progress lines
    try:
        with tempfile.TemporaryDirectory() as folder:
            write_part(folder, 0, views, np.ones(SEARCHED, np.int64), "random", "random")
            shards = Shards(folder)
            yield lambda amount: search_exact(shards, mentions[:amount], 100, threads=threads)
    finally:
        logger.setLevel(before)
