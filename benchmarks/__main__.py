"""Runs all benchmarks or some (``--only``), ours and the baseline, and writes the page.

``peers`` in place of options measures other software beside ours, ``settings`` the steps of an
index of one's own: ``peers --help``.
"""

import argparse
import os
import shlex
import sys
import time
from importlib import import_module
from pathlib import Path

from benchmarks.options import PHASES, Options


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PHASES, help="measure and print only these")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--precision", nargs="+", choices=("fp32", "bf16"), help="default: fast ones"
    )
    parser.add_argument("--workspace", type=Path, help="a folder that the main job built")
    parser.add_argument("--model", default="muver", help="one of the workspace's")
    parser.add_argument("--dataset", type=Path, help="a directory in ZESHEL's format")
    parser.add_argument("--encoder", type=Path, help="a BERT directory, with --dataset")
    parser.add_argument("--layers", type=int, help="of a random BERT: 6, on a GPU 12")
    parser.add_argument("--hidden", type=int, help="of a random BERT: 384, on a GPU 768")
    parser.add_argument("--entities", type=int, help="sampled for encoding: 64, on a GPU 500")
    parser.add_argument("--merged-entities", type=int, help="sampled for merging: 16, or 100")
    parser.add_argument("--batch-tokens", type=int, help="of our encoding: 2048, on a GPU 131072")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument(
        "--large", action="store_true", help="also a world of 1 million views (minutes)"
    )
    parser.add_argument(
        "--figures", type=Path, help="folder for the run, with --only too; no page is written"
    )
    parser.add_argument("--render", action="store_true", help="only rewrite the page")
    args = parser.parse_args(arguments)
    if bool(args.dataset) != bool(args.encoder):
        parser.error("--dataset and --encoder go together.")
    return args


def main() -> int:
    """Measure, print, and after a full run add its figures and write the page."""
    if sys.argv[1:2] in (["peers"], ["settings"]):
        return import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:])
    args = parse()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(args.threads)  # the libraries read it when imported, below
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

    from benchmarks import page, records
    from benchmarks.reaches import judged

    if args.render:
        page.write_page()
        return 0

    import torch

    from benchmarks.context import Context
    from benchmarks.machine import describe
    from benchmarks.rows import Findings

    torch.set_num_threads(args.threads)
    name = records.name_run()
    options = _options(args)
    machine = describe(options.device, options.threads)
    context = Context(options)
    print(", ".join(f"{name} {value}" for name, value in machine.items()))
    print(f"data: {context.case.name}", flush=True)
    findings = Findings()
    for phase in args.only or PHASES:
        started = time.monotonic()
        try:
            found = _measure(phase, context)
        except ModuleNotFoundError as error:
            found = Findings(agreements=[f"{phase}: not measured, {error.name} is not installed"])
        found.rows = [judged(row) for row in found.rows]
        page.print_rows(found)
        print(f"  ({phase} took {time.monotonic() - started:.0f} s)", flush=True)
        findings.add(found)
    if args.figures or not (args.only or args.quick):
        command = shlex.join(["python", "-m", "benchmarks", *_shown(sys.argv[1:])])
        folder = args.figures or records.FIGURES
        path = records.save(findings, machine, context.case.name, command, folder, name)
        print(f"figures: {path}")
        if not args.figures:
            page.write_page()
    return 1 if findings.differences else 0


def _options(args: argparse.Namespace) -> Options:
    import torch

    from benchmarks.machine import fast_precisions
    from muver.retriever.encoders.device import BATCH_TOKENS

    automatic = "cuda" if torch.cuda.is_available() else "cpu"
    device = automatic if args.device == "auto" else args.device
    gpu = device == "cuda"
    entities = 8 if args.quick else 500 if gpu else 64
    return Options(
        device,
        args.threads,
        tuple(args.precision or fast_precisions(device)),
        args.layers or (12 if gpu else 6),
        args.hidden or (768 if gpu else 384),
        args.entities or entities,
        args.merged_entities or (4 if args.quick else 100 if gpu else 16),
        args.batch_tokens or BATCH_TOKENS[device],
        1 if args.quick else args.repetitions,
        args.workspace,
        args.model,
        args.dataset,
        args.encoder,
        args.quick,
        args.large,
    )


def _measure(phase: str, context) -> "Findings":  # noqa: F821
    """Run one phase, the module of this name."""
    from importlib import import_module

    from benchmarks.rows import Findings, Row

    options = context.options
    if phase == "peak":
        peaks = {precision: context.peak(precision) for precision in options.precisions}
        return Findings(
            [
                Row("peak", f"matrix product, {name}", "GFLOP/s", None, rate, remark=shape)
                for name, (rate, shape) in peaks.items()
            ]
        )
    if phase == "memory":
        return import_module("benchmarks.memory").run(options)
    found = import_module(f"benchmarks.{phase}").run(context)
    if phase == "ranking" and options.large:
        found.add(import_module("benchmarks.large").run(options, context.case.config.hidden_size))
    return found


def _shown(arguments: list[str]) -> list[str]:
    """Arguments without the folders of this machine."""
    return [Path(a).name if a.startswith("/") else a for a in arguments]


if __name__ == "__main__":
    sys.exit(main())
