"""Measures types of index on millions of views: time, size, memory, agreement with exact search.

The vectors are synthetic: entities in clusters of about 500, views near their entity, log-normal
norms, and a component common to all views, as in vectors of one BERT. Mentions are views with
noise. This shows the cost of a type; ``muver stage ann-check`` measures its agreement on real
vectors. With ``--store``, a folder of ``muver stage encode``, its views and mentions are one
world.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from muver.retriever.corpus.schema import WIKIPEDIA
from muver.retriever.retrieval.ann.index import AnnIndex, read_manifest
from muver.retriever.retrieval.ann.search import search
from muver.retriever.retrieval.exact import rank_shards
from muver.retriever.vectors.part import MENTIONS, open_layer, write_part
from muver.retriever.vectors.shards import Shards, write_shard
from muver.retriever.views.layout import entity_slices

TYPES = ("ivf_sq", "ivf_sq8", "opq_ivf_pq", "hnsw")
EXACT = "exact"
CLUSTER, PART = 500, 100_000  # entities
SPREAD, VIEW_SPREAD, MENTION_SPREAD, NORMS, COMMON = 0.7, 0.5, 0.8, 0.4, 1.0


def main() -> None:
    """Measure all types, each step in a process of its own, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, help="real vectors; the next three do not count then")
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--views", type=int, default=5)
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--mentions", type=int, default=500)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument(
        "--types", nargs="*", default=TYPES, help="names or faiss strings; none: exact search alone"
    )
    parser.add_argument(
        "--efforts", type=int, nargs="+", default=[2**power for power in range(3, 13)]
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--memory-mb", type=int, default=512)
    parser.add_argument("--folder", type=Path, help="for the vectors and indices, which stay there")
    parser.add_argument("--out", type=Path, help="JSON file for what was measured")
    parser.add_argument("--search", type=Path, help=argparse.SUPPRESS)  # of a process of its own
    args = parser.parse_args()
    if args.search is not None:
        print(json.dumps(time_search(args)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        args.folder = args.folder or Path(temporary)
        rows = measure(args)
    if args.out is not None:
        args.out.write_text(json.dumps(rows, indent=2) + "\n")
    print(table(rows))


def measure(args: argparse.Namespace) -> list[dict]:
    """One row per type; the first is exact search."""
    vectors = args.folder / "vectors"
    # A child's peak starts from its parent's size, so this process must stay small.
    maker = make if args.store is None else take
    making = multiprocessing.get_context("spawn").Process(target=maker, args=(args, vectors))
    making.start()
    making.join()
    if making.exitcode:
        raise SystemExit("The vectors could not be made.")
    indices = {}
    for kind in args.types:
        settings = {
            "factory": kind,
            "seed": 0,
            "threads": args.threads,
            "memory_mb": args.memory_mb,
        }
        out = args.folder / "index" / kind.replace(",", "_")
        command = ["muver.cli", "stage", "ann-build", "--vectors", vectors, "--out", out]
        indices[out] = run([*command, "--settings", json.dumps(settings)], args.threads)
    rows = [{"type": EXACT, "size": size(vectors), **search_apart(args, EXACT)}]
    if not indices:
        return rows
    check = {
        "k": args.k,
        "mentions": args.mentions,
        "efforts": args.efforts,
        "agreement": 0.995,
        "rescore": True,
        "most_views": 16384,
        "seed": 0,
        "threads": args.threads,
        "memory_mb": args.memory_mb,
    }
    report = args.folder / "agreement.json"
    command = ["muver.cli", "stage", "ann-check", "--vectors", vectors, "--report", report]
    command += ["--mention-vectors", args.folder / "mentions.npy", "--settings", json.dumps(check)]
    _, check_memory, _ = run([*command, "--index", *indices], args.threads)
    agreed = json.loads(report.read_text())
    rows[0]["check_mb"] = check_memory
    for folder, (seconds, memory, _) in indices.items():
        result, manifest = agreed[str(folder)], read_manifest(folder)
        rows.append(
            {
                "type": folder.name,
                "factory": manifest["factory"],
                "build_seconds": seconds,
                "build_mb": memory,
                "size": size(folder),
                "effort": result["effort"],
                "recall": result["recall"],
                "best": result["best"],
                "tried": [(one["effort"], one["recall"]) for one in result["tried"]],
                **search_apart(args, str(folder)),
            }
        )
    return rows


def make(args: argparse.Namespace, folder: Path) -> None:
    """Write shards of ``PART`` entities, and mentions, if they are not there."""
    if (args.folder / "mentions.npy").is_file():
        return
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    d = args.dimensions
    common = rng.standard_normal(d, dtype=np.float32)
    common *= COMMON / np.linalg.norm(common)
    centres = rng.standard_normal((max(args.entities // CLUSTER, 1), d), dtype=np.float32)
    mentions = []
    for number, first in enumerate(range(0, args.entities, PART)):
        entities = min(PART, args.entities - first)
        owners = centres[rng.integers(len(centres), size=entities)]
        owners += SPREAD * rng.standard_normal(owners.shape, dtype=np.float32)
        views = np.repeat(owners, args.views, axis=0)
        views += VIEW_SPREAD * rng.standard_normal(views.shape, dtype=np.float32)
        views /= np.linalg.norm(views, axis=1, keepdims=True)
        few = rng.integers(len(views), size=max(args.mentions * entities // args.entities, 1))
        noise = rng.standard_normal((len(few), d), dtype=np.float32) * d**-0.5
        mentions.append(10 * (views[few] + MENTION_SPREAD * noise))
        views *= np.exp(NORMS * rng.standard_normal((len(views), 1), dtype=np.float32))
        views += common
        views *= 10
        counts = np.full(entities, args.views)
        write_shard(folder, number, views.astype(np.float16), counts, first, "made")
    write_mentions(args.folder / "mentions.npy", np.concatenate(mentions), "made")


def take(args: argparse.Namespace, folder: Path) -> None:
    """Write a store's views as shards, and its mentions."""
    store, first = open_layer(args.store, 0), 0
    folder.mkdir(parents=True)
    for number, world in enumerate(store.worlds):
        views = store.world(world)
        counts = np.array([own.stop - own.start for own in entity_slices(views.entities)])
        write_shard(folder, number, views.vectors.astype(np.float16), counts, first, "store")
        first += len(counts)
    write_mentions(args.folder / "mentions.npy", np.load(args.store / "mentions.npy"), "store")


def write_mentions(path: Path, vectors: np.ndarray, model: str) -> None:
    """Write vectors of mentions, numbered."""
    ids = [str(number) for number in range(len(vectors))]
    rows = pa.table({"world": [WIKIPEDIA] * len(ids), "mention_id": ids}, schema=MENTIONS)
    write_part(path, [(rows, vectors)], {"model": model})


def time_search(args: argparse.Namespace) -> dict:
    """Mentions a second by an index as it was checked, or exactly."""
    shards = Shards(args.folder / "vectors")
    mentions = np.load(args.folder / "mentions.npy")
    if str(args.search) == EXACT:
        search_all = partial(rank_shards, shards, memory_mb=args.memory_mb, threads=args.threads)
    else:
        index = AnnIndex(args.search, shards, threads=args.threads)
        if index.knob is not None:
            index.turn(index.manifest["agreement"]["effort"])
        search_all = partial(search, index, memory_mb=args.memory_mb)
    started = time.perf_counter()
    search_all(mentions, args.k)
    seconds = time.perf_counter() - started
    rates = {"mentions_a_second": len(mentions) / seconds}
    if str(args.search) == EXACT:  # which reads every vector once
        rates["gigabytes_a_second"] = size(args.folder / "vectors") / seconds / 1e9
    return rates


def search_apart(args: argparse.Namespace, index: str) -> dict:
    """:func:`time_search` in a process of its own, and its peak memory."""
    options = {
        "search": index,
        "folder": args.folder,
        "k": args.k,
        "threads": args.threads,
        "memory-mb": args.memory_mb,
    }
    command = ["benchmarks.ann", *(f"--{name}={value}" for name, value in options.items())]
    _, memory, output = run(command, args.threads)
    return {**json.loads(output.splitlines()[-1]), "search_mb": memory}


def run(command: list, threads: int) -> tuple[float, float, str]:
    """Seconds, peak memory in MB (Linux counts in KiB) and output of a module's process."""
    started = time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    with subprocess.Popen(
        [sys.executable, "-m", *map(str, command)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: ended with {process.returncode}")
    return time.perf_counter() - started, usage.ru_maxrss * 1024 / 1e6, output


def size(folder: Path) -> int:
    """Bytes of a folder's files."""
    return sum(path.stat().st_size for path in folder.iterdir())


def table(rows: list[dict]) -> str:
    """What was measured, to read."""
    head = "| Type | Build, s | Build, MB | Size, MB | nprobe / efSearch | Recall | Best found | "
    lines = [head + "Mentions/s | GB/s | Search, MB |", "|" + " --- |" * 10]
    for row in rows:
        exact = row["type"] == EXACT
        cells = [
            row["type"],
            "" if exact else f"{row['build_seconds']:.1f}",
            "" if exact else f"{row['build_mb']:.0f}",
            f"{row['size'] / 1e6:.0f}",
            "" if exact else str(row["effort"]),
            "1" if exact else f"{row['recall']:.4f}",
            "1" if exact else f"{row['best']['found']:.4f}",
            f"{row['mentions_a_second']:.1f}",
            f"{row['gigabytes_a_second']:.2f}" if exact else "",
            f"{row['search_mb']:.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
