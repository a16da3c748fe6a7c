"""Each command's own example, as its help prints it: accepted as it stands."""

import json
import shlex

import pytest

from muver.cli import STAGES, build_parser, main

WITHOUT = {name for name, stage in STAGES.items() if stage.settings is None}
SECTION = {"train": "training"}  # whose keys are checked; the others are a model's, as it has them


def example(stage: str) -> list[str]:
    """The words of the call in a command's help, as a shell reads them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        subparsers = build_parser([stage])._subparsers._group_actions[0]
        text = subparsers.choices[stage].format_help()
    call = text.partition("For example\n\n")[2]
    assert all(line.startswith("    ") for line in call.splitlines())
    words = shlex.split(call.replace("\\\n", " "))
    name = stage.split()
    assert words[: 1 + len(name)] == ["muver", *name]
    return [stage, *words[1 + len(name) :]]


@pytest.mark.parametrize("stage", STAGES)
def test_the_options_are_accepted(stage):
    args = build_parser([stage]).parse_args(example(stage))
    assert hasattr(args, "settings") == (stage not in WITHOUT)
    if stage not in WITHOUT:
        assert args.settings, "an example of --settings is missing"


def said(arguments, capsys) -> tuple[int, str]:
    status = main(arguments)
    return status, capsys.readouterr().err


@pytest.mark.parametrize("stage", sorted(set(STAGES) - WITHOUT))
def test_the_settings_are_accepted_and_others_are_not(stage, tmp_path, monkeypatch, capsys):
    """By the stage itself, in an empty folder: files are missing there, but no setting is wrong."""
    monkeypatch.chdir(tmp_path)
    words = example(stage)
    status, error = said(words, capsys)
    assert status == 2 and "--settings" not in error, error
    at = words.index("--settings") + 1
    given = json.loads(words[at])
    {**given, "": given}[SECTION.get(stage, "")]["nonsense"] = 1
    words[at] = json.dumps(given)
    status, error = said(words, capsys)
    assert status == 2 and "unknown key" in error and "nonsense" in error, error
