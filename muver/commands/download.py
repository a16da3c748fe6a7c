"""``muver download``: raw files in their place, fetched or taken from a hand-made download."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "fetch a dataset, a declared file or Punkt's English parameters, and verify it"
EXAMPLE = """\
muver download --dataset zeshel --source zeshel.tar.bz2 --out build/zeshel/raw
  --settings '{"sha256": null}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver download``."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--dataset", metavar="NAME", help="a declared dataset, such as zeshel")
    what.add_argument(
        "--files",
        metavar="NAME",
        help="a declared source of another kind, such as kilt",
    )
    what.add_argument("--punkt", choices=["english"], help="parameters of the sentence splitter")
    parser.add_argument("--out", type=Path, required=True, help="folder for the raw files")
    parser.add_argument(
        "--archive",
        type=Path,
        help="where the archive is or is put; by default download/ beside --out, for a single file "
        "--out itself",
    )
    parser.add_argument("--url", help="another address than the declared one")
    parser.add_argument(
        "--source", type=Path, help="an archive or unpacked folder to use instead of downloading"
    )
    add_settings(
        parser,
        '{"sha256": "..."} pins the archive; url and source as the options of these names',
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.obtain import Download, obtain_dataset, obtain_files
    from muver.corpus.settings import Download as Settings
    from muver.corpus.sources import find_source
    from muver.io.typed import read
    from muver.views.english import obtain_english

    settings = read(Settings, args.settings)
    given = args.source or (Path(settings.source) if settings.source else None)
    source = find_source(args.dataset or args.files or f"punkt_{args.punkt}")
    beside = args.out if args.files and source.kind == "file" else args.out.parent / "download"
    archive = args.archive or beside / source.file
    obtain = obtain_dataset if args.dataset else obtain_files if args.files else obtain_english
    obtain(Download(source, archive, args.url or settings.url, given, settings.sha256), args.out)
