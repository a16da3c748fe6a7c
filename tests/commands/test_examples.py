"""Each command's own example, as its help prints it: accepted as it stands."""

import inspect
import json
import shlex

import pytest

from muver.cli import main
from muver.commands import COMMANDS
from muver.options import parser_of

WITH_SETTINGS = sorted(name for name, one in COMMANDS.items() if "--settings" in one.example)


def example(name: str) -> list[str]:
    """The words of the call in a command's help, as a shell reads them."""
    call = parser_of(COMMANDS[name]).format_help().partition("For example\n\n")[2]
    assert all(line.startswith("    ") for line in call.splitlines())
    words = shlex.split(call.replace("\\\n", " "))
    called = ["muver", *name.split()]
    assert words[: len(called)] == called
    return words[1:]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name.startswith("stage ")])
def test_a_stage_tells_its_options_and_where_its_call_is_seen(name):
    said = parser_of(COMMANDS[name]).format_help()
    assert "--log" in said and "`snakemake -n -p --quiet host`" in said


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if one.example])
def test_the_options_are_accepted(name):
    given = parser_of(COMMANDS[name]).parse_args(example(name)[len(name.split()) :])
    if settings := {"settings", "asked"} & set(vars(given)):
        assert getattr(given, settings.pop()), "an example of --settings is missing"


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if not one.says])
def test_what_a_list_says_is_the_docstring_that_help_begins_with(name):
    """A list reads it from the module's text, without an import."""
    sentence = inspect.getdoc(COMMANDS[name].function()).partition("\n")[0]
    said = COMMANDS[name].help
    assert f"{said[0].upper()}{said[1:]}." == sentence


def said(arguments, capsys) -> tuple[int, str]:
    status = main(arguments)
    return status, capsys.readouterr().err


@pytest.mark.parametrize("name", WITH_SETTINGS)
def test_the_settings_are_accepted_and_others_are_not(name, tmp_path, monkeypatch, capsys):
    """By the command itself, in an empty folder: files are missing there, no setting is wrong."""
    monkeypatch.chdir(tmp_path)
    words = example(name)
    status, error = said(words, capsys)
    assert status == 2 and "--settings" not in error, error
    at = words.index("--settings") + 1
    words[at] = json.dumps({**json.loads(words[at]), "nonsense": 1})
    status, error = said(words, capsys)
    assert status == 2 and "unknown key" in error and "nonsense" in error, error
