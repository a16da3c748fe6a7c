"""``muver STAGE``: one subcommand a stage of the workflow."""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence

from muver.io.errors import InputError
from muver.io.garbage import collect_seldom
from muver.io.progress import note, start_logging
from muver.reproduction.stages import STAGES
from muver.version import __version__


class _Formatter(argparse.HelpFormatter):
    """Wraps what stands below the options; indented paragraphs, to be copied, stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = text.split("\n\n")
        for n, part in enumerate(parts):
            if not part.startswith(" "):
                parts[n] = super()._fill_text(part, width, indent)
        return "\n\n".join(parts)


def as_shell(example: str) -> str:
    """A call, indented; lines that end outside of quotes go on with a backslash."""
    lines = example.strip().split("\n")
    for n in range(len(lines) - 1):
        if "\n".join(lines[: n + 1]).count("'") % 2 == 0:
            lines[n] += " \\"
    return "\n".join(f"    {line}" for line in lines)


def build_parser(stages: Iterable[str] = STAGES) -> argparse.ArgumentParser:
    """Build the parser of a stage, or one that lists several, without their options."""
    parser = argparse.ArgumentParser(
        prog="muver",
        description="Multi-view entity retrieval: the stages that the workflow chains.",
        epilog="`muver STAGE --help` explains a stage. `snakemake -n` shows how they are called.",
    )
    parser.add_argument("--version", action="version", version=f"muver {__version__}")
    commands = parser.add_subparsers(title="stages", dest="stage", metavar="STAGE", required=True)
    stages = [*stages]
    for name in stages:
        stage = STAGES[name]
        command = commands.add_parser(
            name,
            help=stage.help,
            description=f"{stage.help[0].upper()}{stage.help[1:]}.",
            formatter_class=_Formatter,
        )
        if len(stages) > 1:
            continue
        command.add_argument("--log", metavar="FILE", help="write the progress lines here as well")
        stage.add_arguments(command)
        example = as_shell(f"muver {name} {stage.example}")
        parts = [stage.note, "For example", example]
        command.epilog = "\n\n".join(part for part in parts if part)
        command.set_defaults(do=stage.run)
    return parser


def _meant(arguments: list[str]) -> tuple[Iterable[str], list[str]]:
    """The stages that a call may mean, and the call: `muver doctor` means those of two words."""
    for words in (2, 1):
        if (name := " ".join(arguments[:words])) in STAGES:
            return [name], [name, *arguments[words:]]
    if arguments and (family := [name for name in STAGES if name.startswith(f"{arguments[0]} ")]):
        return family, arguments[1:] or ["--help"]
    return STAGES, arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a stage; 0 if it went well, 2 after a user's mistake, 130 or 141 where it was stopped."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    collect_seldom()
    # Read when torch is loaded. Threads that wait are to sleep: by default they spin, and where
    # other work runs as well they keep the processors from those that have something to do.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    only, arguments = _meant(arguments)
    args = build_parser(only).parse_args(arguments)
    label = f"{args.stage} {args.label}" if getattr(args, "label", None) else args.stage
    try:
        start_logging(label, args.log)
        args.do(args)
        sys.stdout.flush()
    except InputError as error:
        print(f"muver {args.stage}: error: {error}", file=sys.stderr)
        note(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # who reads it has had enough, as head has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0


if __name__ == "__main__":
    sys.exit(main())
