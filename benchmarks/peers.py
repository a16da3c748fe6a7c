"""Other software beside muver, on the same real text: ``python -m benchmarks peers``.

    make .venv/peers
    python -m benchmarks peers --dataset DIR --world openttd --encoder DIR

DIR is a folder in ZESHEL's format, and a sentence encoder as it is downloaded. Nothing is trained.
The entities are the world's pages, the mentions those of its split. The page that a mention stands
on is left out of its candidates, and ties count against the gold. Each program works in a process
of its own, in turn, once a round. Its imports and its encoder are loaded before its time begins,
which is the processor's.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.programs import CUTOFFS, OURS, PROGRAMS, Entity, Found, Mention, Task
from benchmarks.records import FIGURES, ROOT, name_run
from muver.io.files import write_json

SECONDS = "the processor's, since the machine may be shared"
PACKAGES = ROOT / ".venv" / "peers"
UNIT = 1 if sys.platform == "darwin" else 1024  # unit of ru_maxrss: bytes on macOS, else KiB


def read_world(dataset: Path, world: str) -> tuple[list[Entity], list[Mention]]:
    """The pages of a world, and the mentions in them with the words around."""
    pages = _lines(dataset / "documents" / f"{world}.json")
    entities = [Entity(page["document_id"], page["title"], page["text"]) for page in pages]
    words = {entity.id: entity.text.split() for entity in entities}
    mentions = []
    for path in sorted((dataset / "mentions").glob("*.json")):
        for line in _lines(path):
            if line["corpus"] == world:
                page, first, last = (
                    line[name] for name in ("context_document_id", "start_index", "end_index")
                )
                left, right = words[page][:first], words[page][last + 1 :]
                mentions.append(
                    Mention(
                        line["text"], " ".join(left), " ".join(right), page,
                        line["label_document_id"],
                    )
                )  # fmt: skip
    return entities, mentions


def _lines(path: Path) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def recall(found: Sequence[Found], mentions: Sequence[Mention]) -> list[float]:
    """Recall in per cent at each of ``CUTOFFS``, the mention's own page left out."""
    ranks = [_rank(*pair) for pair in zip(found, mentions, strict=True)]
    return [100 * sum(rank <= k for rank in ranks) / len(ranks) for k in CUTOFFS]


def _rank(found: Found, mention: Mention) -> float:
    """The place of the gold, the last among its equals; infinity if it was not found."""
    scores = {id: score for id, score in found if id != mention.page or id == mention.gold}
    if mention.gold not in scores:
        return float("inf")
    return sum(score >= scores[mention.gold] for score in scores.values())


def measure(program: str, dataset: Path, world: str, encoder: str) -> dict[str, Any]:
    """What one program finds and takes, in this process."""
    entities, mentions = read_world(dataset, world)
    with tempfile.TemporaryDirectory() as folder:  # one more, for the page that is left out
        task = Task(entities, mentions, max(CUTOFFS) + 1, encoder, Path(folder))
        found = PROGRAMS[program](task)
        task.lap()
    loaded, made, asked = task.laps
    return {
        "entities": len(entities), "mentions": len(mentions), "recall": recall(found, mentions),
        "make": made - loaded, "ask": asked - made,
    }  # fmt: skip


def _by_itself(program: str, args: argparse.Namespace) -> dict[str, Any]:
    """The same, measured in a process of its own, with the peak of its memory."""
    call = [sys.executable, "-m", "benchmarks", "peers", "--dataset", str(args.dataset)]
    call += ["--world", args.world, "--encoder", args.encoder, "--programs", program, "--measure"]
    path = os.pathsep.join(filter(None, [str(PACKAGES), os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as home:
        told = {"PYTHONPATH": path, "HF_HOME": home, "HF_HUB_OFFLINE": "1"}
        # Threads that wait are to sleep, those of all programs: the machine may be shared.
        told |= {"TOKENIZERS_PARALLELISM": "false", "OMP_WAIT_POLICY": "PASSIVE"}
        process = subprocess.Popen(call, stdout=subprocess.PIPE, env={**os.environ, **told})
        said = process.stdout.read() if process.stdout else b""
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{program} failed; its message stands above.")
    return json.loads(said.splitlines()[-1]) | {"peak_mb": usage.ru_maxrss * UNIT / 1e6}


def main(arguments: Sequence[str]) -> int:
    """Measure all programs in turn, print the table, and with ``--save`` write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks peers", description=__doc__)
    parser.add_argument("--dataset", type=Path, required=True, help="a folder in ZESHEL's format")
    parser.add_argument("--world", required=True)
    parser.add_argument("--encoder", required=True, help="a sentence encoder: a folder")
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--save", action="store_true", help="keep the run, and write the page")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)  # one, here
    args = parser.parse_args(arguments)
    if args.measure:
        print(json.dumps(measure(args.programs[0], args.dataset, args.world, args.encoder)))
        return 0
    if not PACKAGES.is_dir():
        parser.error("the other programs are not installed: make .venv/peers")
    import torch

    from benchmarks import page
    from benchmarks.machine import describe

    programs = list(dict.fromkeys([*args.programs, OURS]))
    rounds: dict[str, list[dict[str, Any]]] = {program: [] for program in programs}
    for _ in range(args.rounds):
        for program in programs:
            rounds[program].append(_by_itself(program, args))
    shown = [Path(word).name if word.startswith("/") else word for word in arguments]
    record = {
        "machine": describe("cpu", torch.get_num_threads()), "seconds": SECONDS,
        "dataset": args.dataset.name, "world": args.world, "rounds": rounds,
        "command": shlex.join(["python", "-m", "benchmarks", "peers", *shown]),
    }  # fmt: skip
    print("\n".join(page.table(*page.compared(record))))
    if args.save:
        write_json(FIGURES / f"peers-{name_run()}.json", record)
        page.write_page()
    return 0
