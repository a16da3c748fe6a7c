"""``muver completion SHELL``: what a shell completes after ``muver``."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from muver.commands import COMMANDS, NAMED, STAGE, called

# Where a name of params.yaml may stand: the section, by the command or the option before it.
SECTIONS = {
    "query": "systems", "index evaluate": "systems", "index info": "systems",
    "export": "models", "push": "models", "run": "tables", "show": "tables",
    **{f"--{option}": section for option, section in NAMED.items()},
}  # fmt: skip
# A last word of two dashes would be taken for the end of options.
BASH = """\
_muver() {
    local IFS=$'\\n' found
    local word="${COMP_WORDS[COMP_CWORD]}"
    local typed=("${COMP_WORDS[@]:1:$((COMP_CWORD-1))}" "${word/#--/-}")
    found=$(muver completion words -- "${typed[@]}" 2>/dev/null)
    COMPREPLY=($(compgen -W "$found" -- "$word"))
}
complete -o default -F _muver muver
"""
FISH = """\
function __muver
    set word (string replace -r '^--' - -- (commandline -ct))
    muver completion words -- (commandline -opc)[2..] "$word" 2>/dev/null
end
complete -c muver -a '(__muver)'
"""
SCRIPTS = {
    "bash": BASH,
    "zsh": f"autoload -U +X bashcompinit && bashcompinit\n{BASH}",
    "fish": FISH,
}


def completion(shell: Literal["bash", "zsh", "fish", "words"], typed: Sequence[str] = ()) -> None:
    """Print what completes commands, options and names of params.yaml in bash, zsh or fish.

    A script for a shell, or what may stand where the typed words end.

    In bash or zsh `source <(muver completion bash)`; in fish `muver completion fish | source`.
    Names of models, rows and tables come from the params.yaml of the folder.

    Parameters
    ----------
    typed
        With `words`: what was typed after muver; its last word may be incomplete or empty.
    """
    print(SCRIPTS[shell] if shell != "words" else "\n".join(dict.fromkeys(words(typed))))


def words(typed: Sequence[str]) -> Iterator[str]:
    """What the last of the words may become, and more that does not begin like it."""
    before = list(typed[:-1])
    if (command := called(before)) is None:
        started = [name.split() for name in COMMANDS if name.split()[: len(before)] == before]
        yield from (name[len(before)] for name in started)
        if not before:
            yield from ("--help", "--version")
        return
    if typed[-1].startswith("-"):
        from muver.options import parser_of  # imports the command's work

        for action in parser_of(command)._actions:
            yield from action.option_strings
    section = SECTIONS.get(before[-1]) or SECTIONS.get(command.name)
    if section and not command.name.startswith(STAGE) and Path("params.yaml").is_file():
        from muver.reproduction.settings.resolve import settings_in

        yield from getattr(settings_in(Path(), {}), section)
