"""Peak memory and speed of making a knowledge base and vectors, at several numbers of entities.

Each step is a separate process; its peak is the largest ``ru_maxrss`` of it and its children. CPU
seconds are valid on a busy machine too. For one million entities: ``--sizes 1000000`` (about 1.4 GB
on disk while it runs). ``--model``, such as ``build/miniwikipedia/current/models/muver_wiki``, also
encodes the first part as an example of all.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from miniwikia.__main__ import make

BAD_LINES = {"bad_lines": 100, "bad_share": 0.001, "duplicates": "refuse"}
MENTIONS = {"aida-train": 500, "aida-testb": 100}
UNIT = 1 if sys.platform == "darwin" else 1024  # unit of ru_maxrss: bytes on macOS, else KiB


def measured(*arguments: str) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak memory in MB of a ``muver`` command."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "muver.cli", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read() if process.stderr else ""
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(said)
    cpu = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - started, cpu, usage.ru_maxrss * UNIT / 1e6


def prepare(size: int, folder: Path, workers: int) -> None:
    """Invent a dump of so many pages and the sets that are linked to it."""
    asked = {"entities": size, "entities_per_world": 2000, "mentions": MENTIONS}
    make("miniwikipedia", folder / "raw", workers, **asked)


def steps(folder: Path, workers: int, part_megabytes: int) -> dict[str, list[str]]:
    """The command of each step."""
    dump, kb = str(folder / "raw" / "kilt_knowledgesource.json"), str(folder / "kb")
    settings = [
        "--settings",
        json.dumps({**BAD_LINES, "paragraphs": 5, "part_bytes": part_megabytes << 20}),
    ]
    processes = ["--workers", str(workers)]
    link = ["stage", "link", "--name", "aida-train"]
    link += ["--path", str(folder / "raw" / "aida-train.jsonl")]
    link += ["--settings", json.dumps({"context_tokens": 128, "match": "id"})]
    link += ["--mentions", str(folder / "m.parquet"), "--report", str(folder / "m.json")]
    return {
        "read": ["stage", "kb", "--dump", dump, "--folder", kb, *settings, *processes],
        "link": [*link, "--kb", kb],
    }


def texts(folder: Path) -> list[str]:
    """The command that finds BLINK's texts, in a file made from the dump."""
    dump, source = folder / "raw" / "kilt_knowledgesource.json", folder / "entity.jsonl"
    with open(dump) as pages, open(source, "w") as file:
        for page in map(json.loads, pages):
            idx = f"https://en.wikipedia.org/wiki?curid={page['wikipedia_id']}"
            file.write(json.dumps({"text": " ".join(page["text"][1:4]), "idx": idx}) + "\n")
    where = ["--kb", str(folder / "kb"), "--folder", str(folder / "texts")]
    where += ["--source", str(source), "--settings", json.dumps(BAD_LINES)]
    return ["stage", "kb-texts", *where]


def encoding(
    model: Path, folder: Path, threads: int, part: int = 0, out: str = "vectors"
) -> list[str]:
    """The command that encodes a part."""
    compute = {"device": "cpu", "precision": "fp32", "threads": threads, "processes": 1}
    settings = {"dtype": "fp16", "batch_tokens": "auto"} | compute
    where = ["--kb", str(folder / "kb"), "--out", str(folder / out), "--part", str(part)]
    where += ["--model", str(model), "--settings", json.dumps(settings)]
    return ["stage", "encode-part", *where]


def main() -> None:
    """Print a line for each size and step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--part-megabytes", type=int, default=16)
    parser.add_argument(
        "--model", type=Path, help="a model directory; without it nothing is encoded"
    )
    parser.add_argument("--folder", type=Path, help="where temporary files go")
    args = parser.parse_args()
    print(
        f"{'entities':>9} {'step':10} {'peak MB':>8} {'wall s':>8} {'CPU s':>8} {'per CPU s':>10}"
    )
    for size in args.sizes:
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            prepare(size, Path(folder), args.workers)
            todo = steps(Path(folder), args.workers, args.part_megabytes)
            for name, arguments in todo.items():
                report(size, name, size, *measured(*arguments))
            report(size, "texts", size, *measured(*texts(Path(folder))))
            if args.model is not None:
                command = encoding(args.model, Path(folder), args.workers)
                figures = measured(*command)
                base = json.loads((Path(folder) / "kb" / "manifest.json").read_text())
                report(size, "a part", base["parts"][0]["entities"], *figures)


def report(size: int, name: str, entities: int, wall: float, cpu: float, peak: float) -> None:
    """Print a line."""
    print(
        f"{size:9} {name:10} {peak:8.0f} {wall:8.1f} {cpu:8.1f} {entities / cpu:10.0f}", flush=True
    )


if __name__ == "__main__":
    main()
