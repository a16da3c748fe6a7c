"""muver prune: remove what a changed params.yaml no longer asks for."""

import argparse
import shutil
from pathlib import Path

HELP = "remove from a folder the results of models or systems that are no longer asked for"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--folder", type=Path, required=True, help="folder to prune; made if there is none"
    )
    parser.add_argument(
        "--keep",
        nargs="*",
        default=[],
        metavar="PATH",
        help="what to keep: files without suffix, or folders, below the folder",
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.errors import InputError

    try:
        args.folder.mkdir(parents=True, exist_ok=True)  # nothing may be asked of this stage at all
    except OSError as error:
        raise InputError(
            f"{args.folder}: not a folder, nor can it be made one ({error})."
        ) from None
    prune(args.folder, {tuple(Path(path).parts) for path in args.keep})


def prune(folder: Path, keep: set[tuple[str, ...]]) -> None:
    """Remove what stands below ``folder`` and is not on a path to something kept."""
    from muver.progress import logger

    for path in sorted(folder.iterdir()):
        name = path.name if path.is_dir() else path.name.partition(".")[0]
        below = {parts[1:] for parts in keep if parts[0] == name}
        if () in below:
            continue
        if below and path.is_dir():
            prune(path, below)
            continue
        logger.info("removing %s", path)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
