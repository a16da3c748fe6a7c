"""``muver COMMAND``: a command line derived from the functions that do the work.

:mod:`muver.options` reads what they are given. The work is imported only when its command is
called.
"""

import errno
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from textwrap import fill
from typing import Any

from muver import __version__
from muver.commands import COMMANDS, GROUPS, NAMED, STAGE, Command, called
from muver.io.errors import InputError, did_you_mean, quoted
from muver.io.process import Stopped, collect_seldom, end_as_always, hide, stop_at_signals
from muver.io.progress import note, start_logging
from muver.io.text import Output, Shown, visible
from muver.options import bounded, is_settings, parameters, parser_of, read_job

HELP = ("-h", "--help")
BROKEN = re.compile("[\ud800-\udfff]")  # bytes of a word that are no text
NO_MEMORY = re.compile("allocate memory|out of memory|bad_alloc")  # as torch and faiss say it
# What a disk, its permissions or its server say; any other error of the system is a fault of ours.
OF_DISKS = {getattr(errno, name) for name in (
    "EACCES", "EPERM", "EROFS", "EIO", "ENOSPC", "EDQUOT", "EXDEV", "ESTALE", "EMFILE", "ENFILE",
)}  # fmt: skip
LESS = (
    "End other work, give it more, or take smaller settings or a part of the data. What is made "
    "stays; the same command goes on or begins anew."
)


def run(command: Command, words: Sequence[str]) -> None:
    with redirect_stderr(Shown(sys.stderr)):
        parser = parser_of(command)
        by_file = command.of_workflow and "--job" in words
        words = bounded(parser, words)
        arguments = (
            read_job(command, parser, words)
            if by_file
            else vars(parser.parse_intermixed_args(words))
        )
    arguments.pop("job", None)
    label = [command.name.removeprefix(STAGE), arguments.pop("label", None)]
    start_logging(" ".join(filter(None, label)), arguments.pop("log"))
    work = command.function()
    from muver.io.checksums import check, seal
    from muver.io.files import WRITTEN

    if command.of_workflow:
        check(_paths(arguments.values()))
    for name, kind, default, _ in parameters(work):
        if is_settings(kind) and (arguments[name] or default is not None):
            from muver.io.typed import read

            arguments[name] = read(kind, arguments[name] or {})
    if not command.name.startswith(STAGE):
        for name in NAMED:
            if arguments.get(name):
                arguments[name] = _by_name(name, arguments[name])
    WRITTEN.clear()
    work(**arguments)
    if command.of_workflow:
        seal(WRITTEN)


def _paths(values: Iterable[Any]) -> Iterator[Path]:
    """The paths among the arguments of a stage, those in lists and tables too."""
    for value in values:
        if isinstance(value, str | Path):
            yield Path(value)
        elif isinstance(value, Mapping):
            yield from _paths(value.values())
        elif isinstance(value, Iterable):
            yield from _paths(value)


def _by_name(option: str, value: Any) -> Any:
    """Where a folder has a params.yaml, the path of the model or index that it calls so.

    A model or an index that lies here under this name comes first. Each has a JSON file, by which
    it is told from the package, whose folder in a clone is called muver as a model is.
    """
    here = Path(value)
    if here.is_file() or any(here.glob("*.json")) or not Path("params.yaml").is_file():
        return value
    from muver.reproduction.workspace.current import path_of

    return type(value)(path_of(NAMED[option], str(value)))


def overview() -> str:
    """All that people type, by purpose; commands of two words in one line."""
    lines = ["usage: muver COMMAND ..."]
    for group, commands in GROUPS.items():
        rows: dict[str, str] = {}
        for command in commands:
            first, _, second = command.name.partition(" ")
            if command.name.startswith(STAGE):
                rows[f"{STAGE}..."] = "a step of the workflow; `muver stage` lists them"
            elif second and _family(first)[1:]:
                rows[f"{first} ..."] = ", ".join(filter(None, [rows.get(f"{first} ..."), second]))
            else:
                rows[command.name] = command.help
        lines += ["", f"{group}:", *_rows(rows)]
    return "\n".join([*lines, "", "`muver COMMAND --help` explains a command."])


def _rows(rows: Mapping[str, str]) -> list[str]:
    width = max(map(len, rows)) + 4
    return [
        fill(text, 100, initial_indent=f"  {name:{width - 2}}", subsequent_indent=" " * width)
        for name, text in rows.items()
    ]


def _family(word: str) -> list[Command]:
    return [command for name, command in COMMANDS.items() if name.startswith(f"{word} ")]


def _asked(words: Sequence[str]) -> Command | str:
    """The command that is called, or a text to print in its place."""
    if command := called(words):
        return command
    if not words or words[0] in HELP:
        return overview()
    if words[0] == "--version":
        return f"muver {__version__}"
    family = _family(words[0])
    if family and (not words[1:] or words[1] in HELP):
        rows = {command.name.partition(" ")[2]: command.help for command in family}
        more = f"`muver {words[0]} NAME --help` explains each."
        return "\n".join([f"usage: muver {words[0]} NAME ...", "", *_rows(rows), "", more])
    wrong = " ".join(words[: 2 if family else 1])
    known = {*COMMANDS, *(name.partition(" ")[0] for name in COMMANDS)}
    raise InputError(
        f"no command {quoted(wrong)}.{did_you_mean(wrong, known)} `muver --help` lists them."
    )


def _extra(module: str) -> str | None:
    """The requirement that brings a missing module, where it is one of this package's extras."""
    from importlib.metadata import requires

    name = module.partition(".")[0].replace("_", "-")
    wanted = (text.split(";")[0] for text in requires("muver") or () if "extra ==" in text)
    return next((text for text in wanted if text.startswith(name)), None)


def _mistake(error: Exception) -> str | None:
    """What a user can mend of an error, in words; None of a fault of ours."""
    match error:
        case InputError():
            return str(error)
        case ModuleNotFoundError(name=str(name)) if package := _extra(name):
            return f"{package} is not installed. Install it with: pip install '{package}'"
        case OSError(errno=number, filename=file) if number in OF_DISKS:
            why = f"{file or 'a file'}: the system does not allow it ({error.strerror})"
            return f"{why}. Look at the disk and its permissions, then run the same command again."
    if isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and NO_MEMORY.search(str(error))
    ):
        return f"the memory of this machine does not suffice. {LESS}"
    return None


def _tell(prefix: str, text: str) -> int:
    if sys.stderr is not None:  # it may be closed, or full
        with suppress(OSError):
            print(visible(f"{prefix}: error: {text}"), file=sys.stderr, flush=True)
    note(f"error: {text}")
    _drop()
    return 2


def _drop() -> None:
    """Forget what standard output did not take; Python would try again in the end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it went well, 2 after a user's mistake, 130 or 141 where stopped."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    collect_seldom()
    if arguments is None:  # as a program
        stop_at_signals()
    # Read when torch is loaded. Threads that wait are to sleep: by default they spin, and where
    # other work runs as well they keep the processors from those that have something to do.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    prefix = "muver"
    try:
        with redirect_stdout(Output(sys.stdout)):
            if wrong := next((word for word in words if BROKEN.search(word)), None):
                cure = "Rename the file, or set LC_ALL=C.UTF-8."
                raise InputError(f"{ascii(wrong)}: not UTF-8. {cure}")
            asked = _asked(words)
            try:
                if isinstance(asked, str):
                    print(asked)
                else:
                    prefix = f"muver {asked.name}"
                    if arguments is None and asked.name.startswith(STAGE):
                        hide("pandas")  # which no stage needs
                    run(asked, words[len(asked.name.split()) :])
            finally:
                sys.stdout.flush()
    except Stopped as signal:
        print(f"{prefix}: ended by {signal}", file=sys.stderr)
        return signal.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # who reads it has had enough, as head has
        _drop()
        return 141
    except Exception as error:
        if (text := _mistake(error)) is None:
            raise
        return _tell(prefix, text)
    finally:
        if arguments is None:
            end_as_always()
    return 0


if __name__ == "__main__":
    sys.exit(main())
