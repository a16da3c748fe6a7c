"""Where the views of an index may lie: our files, Qdrant's engine and LanceDB, beside each other.

    pip install qdrant-edge-py lancedb
    python -m benchmarks.stores

Vectors are made: entities in clusters, views near their entity, all of one length, because LanceDB
compares several vectors of an entity by their cosines alone; mentions are views with noise. A query
is one mention's best entities with the view that won. Recall is against exact search in our files.
Each store works in a process of its own, whose peak memory is measured. CPU seconds, those of all
threads, are valid on a busy machine too.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

PART = 4096
CLUSTER = 500  # entities
SPREAD, VIEW_SPREAD, MENTION_SPREAD = 0.7, 0.5, 0.8
TRUTH = "truth.json"
Answers = list[tuple[int, int]]  # entities and winning views, best first
Search = Callable[[np.ndarray], Answers]


def parts(args: argparse.Namespace) -> Iterator[tuple[int, np.ndarray]]:
    """The number of the first entity, and (entities, views, d) float32 vectors."""
    centres = np.random.default_rng(0).standard_normal((args.entities // CLUSTER + 1, args.d))
    for first in range(0, args.entities, PART):
        rng = np.random.default_rng([1, first])
        count = min(PART, args.entities - first)
        owners = centres[rng.integers(len(centres), size=count)]
        owners = owners + SPREAD * rng.standard_normal(owners.shape)
        views = owners[:, None] + VIEW_SPREAD * rng.standard_normal((count, args.views, args.d))
        yield first, _unit(views)


def mentions(args: argparse.Namespace) -> np.ndarray:
    """(mentions, d) float32: views of some entities, with noise."""
    rng = np.random.default_rng(2)
    few = args.mentions * PART // args.entities + 1
    near = np.concatenate(
        [views[rng.integers(len(views), size=few), 0] for _, views in parts(args)]
    )
    rng.shuffle(near)
    near = near[: args.mentions]
    return _unit(near + MENTION_SPREAD * rng.standard_normal(near.shape) * args.d**-0.5)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


class Files:
    """A segment of an index, searched exactly."""

    def build(self, args: argparse.Namespace, folder: Path) -> None:
        """Write it."""
        import pyarrow as pa

        from muver.kb.index import signals
        from muver.kb.index.entity import Entity
        from muver.kb.index.segments import ENTITY, SPAN, VIEW, schema, write_segment

        def columns(first: int, views: np.ndarray) -> dict[str, pa.Array]:
            entities = [
                Entity(id=f"{first + n:09}", title="", description="made")
                for n in range(len(views))
            ]
            starts = pa.array(np.arange(len(views) + 1, dtype=np.int32) * args.views)
            own = pa.array([{"layer": 0, "first": 0, "last": 0}] * args.views * len(views),
                           pa.struct(VIEW))  # fmt: skip
            listed = pa.FixedSizeListArray.from_arrays(pa.array(views.ravel()), args.d)
            return {
                **{
                    name: pa.array([getattr(one, name) for one in entities], kind)
                    for name, kind in ENTITY
                },
                **signals.columns(entities),
                "sentences": pa.array([[{"start": 0, "end": 4}]] * len(views), pa.list_(SPAN)),
                "spans": pa.ListArray.from_arrays(starts, own),
                "unread": pa.array([0] * len(views), pa.int32()),
                "views": pa.ListArray.from_arrays(starts, listed),
                "length": pa.array(np.ones(len(views), dtype=np.float32)),
            }

        made = (columns(first, views) for first, views in parts(args))
        write_segment(folder / "vectors.arrow", schema(args.d, ["views"]), made)

    def open(self, args: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Search]]:
        """Its exact search."""
        from muver.kb.index.search import Asked
        from muver.kb.index.search import search as ranked
        from muver.kb.index.segments import Opened
        from muver.kb.index.signals import Vectors
        from muver.retriever.retrieval.aggregates import MAX
        from muver.retriever.retrieval.exact import exactly

        opened = Opened.of(folder, self._segment(folder, args.entities)).parts
        asked = Asked(opened, None)

        def search(mention: np.ndarray) -> Answers:
            views = Vectors(asked, "views", mention[None], 1.0, MAX)
            (hits,) = ranked(asked, {"views": views}, {"views": 1.0}, 1, args.k)
            return [(hit.part * PART + hit.row, won(mention, *hit[:2])) for hit in hits]

        def won(mention: np.ndarray, part: int, row: int) -> int:
            own = opened[part].vectors_of("views", row)
            return int(exactly(own, mention[None], "dot").argmax())

        yield "exact", search

    def _segment(self, folder: Path, entities: int):
        from muver.io.files import sha256_of
        from muver.kb.index.state import Segment

        path = folder / "vectors.arrow"
        return Segment(path.name, sha256_of(path), path.stat().st_size, entities, 0)


class Qdrant:
    """Qdrant's engine inside of a process, with the settings of its server: a point an entity."""

    EFFORTS = (32, 128, 512)

    def build(self, args: argparse.Namespace, folder: Path) -> None:
        """Put points there and build the graph."""
        import qdrant_edge as q

        config = q.EdgeConfig(
            vectors=q.EdgeVectorParams(
                size=args.d,
                distance=q.Distance.Dot,
                multivector_config=q.MultiVectorConfig(q.MultiVectorComparator.MaxSim),
            ),
            hnsw_config=q.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10_000),
        )
        shard = q.EdgeShard.create(str(folder), config)
        for first, views in parts(args):
            for start in range(0, len(views), 256):
                points = [
                    q.Point(id=first + n, vector=views[n].tolist(), payload={"world": "made"})
                    for n in range(start, min(start + 256, len(views)))
                ]
                shard.update(q.UpdateOperation.upsert_points(points))
        shard.flush()
        print(f"points written after {time.perf_counter() - STARTED:.0f} s", file=sys.stderr)
        shard.optimize()
        shard.close()

    def open(self, args: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Search]]:
        """Exact search, and by its graph."""
        import qdrant_edge as q

        from muver.kb.index.search import decided
        from muver.retriever.retrieval.aggregates import MAX

        shard = q.EdgeShard.load(str(folder))

        def by(params: q.SearchParams) -> Search:
            def search(mention: np.ndarray) -> Answers:
                query = q.Query.Nearest([mention.tolist()])
                found = shard.query(
                    q.QueryRequest(limit=args.k, query=query, with_vector=True, params=params)
                )
                vectors = [np.array(one.vector, dtype=np.float32) for one in found]
                decisions = [decided(own, mention[None], MAX, "dot") for own in vectors]
                scores, views = map(np.concatenate, zip(*decisions, strict=True))
                order = np.argsort(-scores, kind="stable")
                return [(found[n].id, int(views[n])) for n in order]

            return search

        yield "exact", by(q.SearchParams(exact=True))
        for ef in self.EFFORTS:
            yield f"HNSW, ef {ef}", by(q.SearchParams(hnsw_ef=ef))


class Lance:
    """A table of LanceDB with a list of vectors a row, and its usual index, IVF with PQ."""

    EFFORTS = (20, 100)

    def build(self, args: argparse.Namespace, folder: Path) -> None:
        """Write the table and index it."""
        import lancedb
        import pyarrow as pa
        from lancedb.index import IvfPq

        kind = pa.schema([
            ("id", pa.int64()), ("world", pa.string()),
            ("vector", pa.list_(pa.list_(pa.float32(), args.d))),
        ])  # fmt: skip

        def batches() -> Iterator[pa.RecordBatch]:
            for first, views in parts(args):
                starts = pa.array(np.arange(len(views) + 1, dtype=np.int32) * args.views)
                listed = pa.FixedSizeListArray.from_arrays(pa.array(views.ravel()), args.d)
                ids = pa.array(np.arange(first, first + len(views)))
                world = pa.array(["made"] * len(views))
                vectors = pa.ListArray.from_arrays(starts, listed)
                yield pa.record_batch([ids, world, vectors], schema=kind)

        table = lancedb.connect(folder).create_table("made", batches(), schema=kind)
        print(f"rows written after {time.perf_counter() - STARTED:.0f} s", file=sys.stderr)
        table.create_index("vector", config=IvfPq(distance_type="cosine"))

    def open(self, args: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Search]]:
        """Exact search, and by its index with the best ones compared once more."""
        import lancedb

        from muver.kb.index.search import decided
        from muver.retriever.retrieval.aggregates import MAX

        table = lancedb.connect(folder).open_table("made")

        def by(narrow: Callable) -> Search:
            def search(mention: np.ndarray) -> Answers:
                query = table.search(mention[None], vector_column_name="vector")
                rows = narrow(query.metric("cosine")).limit(args.k).to_arrow()
                found = [np.array(one.as_py(), dtype=np.float32) for one in rows["vector"]]
                decisions = [decided(own, mention[None], MAX, "dot") for own in found]
                scores, views = map(np.concatenate, zip(*decisions, strict=True))
                order = np.argsort(-scores, kind="stable")
                ids = rows["id"].to_pylist()
                return [(ids[n], int(views[n])) for n in order]

            return search

        yield "exact", by(lambda query: query.bypass_vector_index())
        for probes in self.EFFORTS:
            yield (
                f"IVF-PQ, {probes} lists",
                by(lambda query, probes=probes: query.nprobes(probes).refine_factor(10)),
            )


STORES = {"files": Files, "qdrant": Qdrant, "lancedb": Lance}
STARTED = time.perf_counter()


def build(args: argparse.Namespace, name: str, folder: Path) -> dict:
    """What building took."""
    import psutil

    STORES[name]().build(args, folder)
    used = psutil.Process().cpu_times()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {"seconds": time.perf_counter() - STARTED, "cpu": used.user + used.system, "bytes": size}


def query(args: argparse.Namespace, name: str, folder: Path) -> list[dict]:
    """How long each kind of search takes, and what it finds."""
    asked, rows = mentions(args), []
    for kind, search in STORES[name]().open(args, folder):
        search(asked[0])
        took, found, before = [], [], time.process_time()
        for mention in asked:
            started = time.perf_counter()
            found.append(search(mention))
            took.append(time.perf_counter() - started)
        cpu = (time.process_time() - before) / len(asked)
        truth = folder.parent / TRUTH
        if name == "files":
            truth.write_text(json.dumps(found))
        known = [[tuple(one) for one in own] for own in json.loads(truth.read_text())]
        pairs = list(zip(found, known, strict=True))
        rows.append({
            "search": kind, "cpu": cpu,
            "p50": float(np.percentile(took, 50)), "p99": float(np.percentile(took, 99)),
            "recall": float(np.mean([
                len({id for id, _ in own} & {id for id, _ in true}) / len(true)
                for own, true in pairs
            ])),
            "same": sum(own == true for own, true in pairs),
        })  # fmt: skip
    return rows


def main() -> None:
    """Build and ask each store, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--views", type=int, default=10)
    parser.add_argument("--d", type=int, default=384, help="numbers of a vector")
    parser.add_argument("--mentions", type=int, default=200)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES))
    parser.add_argument("--folder", type=Path, help="where they lie; they stay there then")
    parser.add_argument("--do", nargs=3, help=argparse.SUPPRESS)  # of a process of its own
    args = parser.parse_args()
    if args.do:
        work, name, folder = args.do
        found = {"build": build, "query": query}[work](args, name, Path(folder))
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(json.dumps({"found": found, "peak_mb": peak}))
        return
    with tempfile.TemporaryDirectory() as temporary:
        for name in args.stores:
            _measure(name, (args.folder or Path(temporary)) / name)


def _measure(name: str, folder: Path) -> None:
    if not folder.exists():
        folder.mkdir(parents=True)
        made = _by_itself("build", name, folder)
        own = made["found"]
        print(
            f"{name}: built in {own['seconds']:.0f} s ({own['cpu']:.0f} s of CPU), "
            f"{own['bytes'] / 1e9:.2f} GB, peak {made['peak_mb']:,.0f} MB",
            flush=True,
        )
    asked = _by_itself("query", name, folder)
    for row in asked["found"]:
        print(
            f"{name}, {row['search']}: p50 {1e3 * row['p50']:.1f} ms, p99 {1e3 * row['p99']:.1f} "
            f"ms, CPU {1e3 * row['cpu']:.1f} ms, recall {row['recall']:.4f}, the same answers and "
            f"views {row['same']}",
            flush=True,
        )
    print(f"{name}: peak of asking {asked['peak_mb']:,.0f} MB", flush=True)


def _by_itself(work: str, name: str, folder: Path) -> dict:
    call = [sys.executable, "-m", "benchmarks.stores", *sys.argv[1:]]
    call += ["--do", work, name, str(folder)]
    done = subprocess.run(call, check=True, stdout=subprocess.PIPE, env=os.environ)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
