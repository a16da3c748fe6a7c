"""muver retrieve: rank entities for the mentions of a set."""

import argparse
from pathlib import Path

from muver.commands import add_label, add_run, add_settings
from muver.retrieval.kinds import INPUTS, LISTS, names
from muver.stages.stage import json_object

HELP = "rank entities for each mention, with a retriever of one of the kinds"
EXAMPLE = """\
muver retrieve --kind views --store store --merged merged --entities entities.parquet
  --mentions mentions.parquet --settings '{"split": "test", "k": 64, "match": "title",
  "memory_mb": 256, "aggregate": "max", "metric": "dot", "merge_layers": 4, "search": "distant",
  "global_view": false, "spans": false}' --run muver.parquet --manifest muver.json
"""
NOTE = """\
views: the vectors of a store (BLINK, MuVER). tokens: token vectors, straight from a model (SOM).
bm25: words. fusion: other systems' runs. shards: the vectors of a knowledge base, exactly or by an
index. muver/retrieval/kinds says what each is given.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = NOTE
    add_label(parser, "system")
    parser.add_argument("--kind", required=True, choices=names(), help="how candidates are found")
    add_settings(parser, "the row's retrieval settings as JSON")
    parser.add_argument(
        "--compute",
        type=json_object,
        help="the section 'compute' as JSON, which kinds that run a model look at",
    )
    for name, text in INPUTS.items():
        nargs = "+" if name in LISTS else None
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=Path, nargs=nargs, help=text)
    add_run(parser)


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.retrieval.kinds import retrieve, runs_a_model

    used = (*INPUTS, "compute") if runs_a_model(args.kind) else INPUTS
    given = {name: getattr(args, name) for name in used}
    inputs = {name: value for name, value in given.items() if value is not None}
    retrieve(args.kind, args.settings, args.run_file, args.manifest, inputs)
