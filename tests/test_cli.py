"""The command: quick to answer, plain about mistakes."""

import ast
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from muver import __version__
from muver.cli import main
from muver.reproduction.stages import STAGES, Stage

HEAVY = {"torch", "transformers", "mlflow", "accelerate", "nltk", "pyarrow", "bm25s", "requests"}


def test_help_of_everything_imports_nothing_heavy():
    """In a process of its own, whose imports are its own: `--help` and `STAGE --help` for all."""
    script = f"""
import sys
from muver.cli import STAGES, main
for arguments in [["--help"], ["--version"], *([stage, "--help"] for stage in STAGES)]:
    try:
        main(arguments)
    except SystemExit as end:
        assert end.code == 0, arguments
print("HEAVY", sorted({HEAVY!r} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("HEAVY []\n")
    for stage in STAGES:
        assert f"usage: muver {stage} " in done.stdout
    assert f"muver {__version__}" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["merge"], ["encode", "--settings", "{"]])
def test_a_wrong_call_ends_with_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: muver" in capsys.readouterr().err


@pytest.mark.parametrize("settings", ["{", "[1]", "3"])
def test_settings_that_are_no_json_object(settings, capsys):
    with pytest.raises(SystemExit):
        main(["merge", "--settings", settings, "--model", "m", "--store", "s", "--out", "o"])
    assert "argument --settings: " in capsys.readouterr().err


@pytest.mark.parametrize("given", [None, "ACTIVE"])
def test_waiting_threads_sleep_unless_the_user_says_otherwise(given, monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", given or "")
    if given is None:
        monkeypatch.delenv("OMP_WAIT_POLICY")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert os.environ["OMP_WAIT_POLICY"] == (given or "PASSIVE")


def test_a_mistake_is_told_without_a_traceback(tmp_path):
    """By the module, as the workflow's shell calls it."""
    call = [sys.executable, "-m", "muver.cli", "prune"]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("muver prune: error: params.yaml: no such file")
    assert "Traceback" not in done.stderr


def test_the_log_has_what_is_said(tmp_path, capsys):
    folder, log = tmp_path / "metrics", tmp_path / "logs" / "metrics.log"
    folder.mkdir()
    (folder / "old.json").touch()
    places = ["--metrics", str(folder), "--plots", str(tmp_path / "plots")]
    assert main(["metrics", "--log", str(log), *places]) == 0
    assert "[metrics] removing" in capsys.readouterr().err
    assert "old.json" in log.read_text()


def test_a_log_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").touch()
    log = tmp_path / "file" / "unlock.log"
    assert main(["unlock", "--log", str(log)]) == 2
    assert f"muver unlock: error: {log}: cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_the_options_of_a_stage_are_the_parameters_of_its_work(stage):
    """Read from the source: importing all of them would take seconds."""
    module, _, name = stage.work.partition(":")
    tree = ast.parse(Path(find_spec(module).origin).read_text(encoding="utf-8"))
    (function,) = (
        one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == name
    )
    arguments = function.args
    with_default = len(arguments.defaults)
    named = [argument.arg for argument in arguments.args]
    needed = {*named[: len(named) - with_default]} | {
        argument.arg
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    }
    known = {*named, *(argument.arg for argument in arguments.kwonlyargs)}
    given = {option.to for option in stage.options} | (
        {stage.settings_to} if stage.settings else set()
    )
    assert needed <= given and (given <= known or arguments.kwarg)


def test_settings_of_a_type_are_checked_before_the_work(capsys, monkeypatch):
    stage = Stage(
        "segment",
        "split",
        "builtins:dict",
        (),
        "",
        settings="muver.retriever.views.settings:Segment",
    )
    monkeypatch.setitem(STAGES, "segment", stage)
    with pytest.raises(SystemExit):
        main(["segment", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "--settings JSON [JSON ...] punkt: one of english, train" in said
    with pytest.raises(SystemExit):
        main(["segment"])
    assert "required: --settings" in capsys.readouterr().err
    assert main(["segment", "--settings", '{"punkt": "englisch"}']) == 2
    assert "--settings: punkt is 'englisch'. Did you mean 'english'?" in capsys.readouterr().err
    assert main(["segment", "--settings", '{"punkt": "english"}']) == 0
    # Of several objects the later one counts.
    assert main(["segment", "--settings", '{"punkt": "englisch"}', '{"punkt": "train"}']) == 0
