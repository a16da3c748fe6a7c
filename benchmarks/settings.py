"""The steps of "Which settings" (docs/own-data.md) on a public wiki.

    python -m benchmarks settings --dataset DIR --world theopedia --encoder DIR

DIR is a folder in ZESHEL's format, and a sentence encoder as it is downloaded. The world's pages
become a CSV, and its links the mentions, those of some pages to measure and of the others as
labels. The commands are those that a user types.
"""

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import page
from benchmarks.peers import read_world

CHARACTERS = 1_000  # of a page
MEASURED, LABELS = 500, 200  # mentions
SEED = 13
CUTOFFS = ("1", "10", "64")


def write_files(dataset: Path, world: str, folder: Path) -> None:
    """Write ``dictionary.csv``, and ``test`` and ``labels`` as lines of mentions; no page has
    mentions in both.
    """
    entities, mentions = read_world(dataset, world)
    with (folder / "dictionary.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "term", "definition"])
        rows.writerows([e.id, e.title, e.text[:CHARACTERS]] for e in entities)
    pages = sorted({mention.page for mention in mentions})
    random.Random(SEED).shuffle(pages)
    in_order = sorted(mentions, key=lambda mention: pages.index(mention.page))
    first = in_order[:MEASURED]
    labels = [m for m in in_order[MEASURED:] if m.page != first[-1].page]
    random.Random(SEED).shuffle(labels)
    for name, chosen in {"test": first, "labels": labels[:LABELS]}.items():
        lines = (
            {"mention": m.text, "left": m.left, "right": m.right, "gold": m.gold} for m in chosen
        )
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def steps(encoder: str) -> list[tuple[str, list[list[str]]]]:
    """What each row is called, and its commands; the last one measures."""

    def made(name: str, *options: str) -> list[list[str]]:
        create = ["index", "create", "dictionary.csv", "--map", "title=term", "--out", name]
        return [[*create, *options], ["index", "evaluate", name, "test.jsonl"]]

    def tuned(name: str) -> list[list[str]]:
        tune = ["index", "tune", name, "labels.jsonl", "--cutoff", "10"]
        return [tune, ["index", "evaluate", name, "test.jsonl"]]

    return [
        ("words alone, `--model bm25`", made("words", "--model", "bm25")),
        ("the defaults without a model", made("dictionary")),
        ("the same, tuned", tuned("dictionary")),
        ("with the encoder", made("encoded", "--model", encoder)),
        ("the same, tuned", tuned("encoded")),
    ]


def main(arguments: Sequence[str]) -> int:
    """Run the commands, with what they say on standard error, and print the table as it grows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks settings", description=__doc__)
    parser.add_argument("--dataset", type=Path, required=True, help="a folder in ZESHEL's format")
    parser.add_argument("--world", required=True)
    parser.add_argument("--encoder", required=True, help="a sentence encoder")
    args = parser.parse_args(arguments)
    encoder = str(Path(args.encoder).absolute()) if Path(args.encoder).exists() else args.encoder
    print("\n".join(page.table(["", *(f"R@{k}" for k in CUTOFFS)], [])))
    with tempfile.TemporaryDirectory() as name:
        write_files(args.dataset, args.world, Path(name))
        for row, commands in steps(encoder):
            for words in commands:
                print("muver", *words, file=sys.stderr, flush=True)
                measuring = ["--cutoffs", *CUTOFFS, "--json"] if words[1] == "evaluate" else []
                call = [sys.executable, "-m", "muver.cli", *words, *measuring]
                said = subprocess.run(call, cwd=name, check=True, stdout=subprocess.PIPE).stdout
            micro = json.loads(said)["scores"]["micro"]
            print(f"| {' | '.join([row, *(f'{micro[k]:.1f}' for k in CUTOFFS)])} |", flush=True)
    return 0
