"""The command: quick to answer, plain about mistakes."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from muver import __version__
from muver.cli import STAGES, main
from muver.stages import STAGES as TABLE
from muver.stages import Stage

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


def test_a_mistake_is_told_without_a_traceback(tmp_path):
    """By the module, as the workflow's shell calls it."""
    (tmp_path / "file").touch()
    file = str(tmp_path / "file")
    call = [sys.executable, "-m", "muver.cli", "prune", "--folder", file, "--keep", "bm25"]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"muver prune: error: {file}: not a folder")
    assert "Traceback" not in done.stderr


def test_the_log_has_what_is_said(tmp_path, capsys):
    folder, log = tmp_path / "folder", tmp_path / "logs" / "prune.log"
    folder.mkdir()
    (folder / "old.json").touch()
    assert main(["prune", "--log", str(log), "--folder", str(folder), "--keep", "new"]) == 0
    assert "[prune] removing" in capsys.readouterr().err
    assert "old.json" in log.read_text()


def test_a_log_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").touch()
    log = tmp_path / "file" / "prune.log"
    assert main(["prune", "--log", str(log), "--folder", str(tmp_path), "--keep", "file"]) == 2
    assert f"muver prune: error: {log}: cannot be written" in capsys.readouterr().err


def test_prune_keeps_what_lies_deeper(tmp_path):
    kept = [tmp_path / place for place in ("test/muver/layer0.npy", "val/muver/layer0.npy")]
    gone = [tmp_path / place for place in ("test/som/layer0.npy", "train/muver/layer0.npy")]
    for path in (*kept, *gone):
        path.parent.mkdir(parents=True)
        path.touch()
    assert main(["prune", "--folder", str(tmp_path), "--keep", "test/muver", "val/muver"]) == 0
    assert all(path.is_file() for path in kept)
    assert not any(path.parent.exists() for path in gone)
    assert not (tmp_path / "train").exists()


def test_prune_makes_the_folder_of_a_stage_that_nothing_was_asked_of(tmp_path):
    assert main(["prune", "--folder", str(tmp_path / "spans"), "--keep"]) == 0
    assert (tmp_path / "spans").is_dir()


def test_prune_keeps_by_name_and_removes_the_rest(tmp_path):
    for name in ("muver.parquet", "muver.json", "muver_plain.json", "old.json"):
        (tmp_path / name).touch()
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "file").touch()
    (tmp_path / "som").mkdir()
    assert main(["prune", "--folder", str(tmp_path), "--keep", "muver", "som"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "muver.json",
        "muver.parquet",
        "som",
    ]


@pytest.mark.parametrize("stage", TABLE.values(), ids=TABLE)
def test_the_options_of_a_stage_are_the_parameters_of_its_work(stage):
    """Read from the source: importing all of them would take seconds."""
    module, _, name = stage.work.partition(":")
    path = Path(*module.split(".")).with_suffix(".py")
    tree = ast.parse((Path(__file__).parents[1] / path).read_text(encoding="utf-8"))
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
    assert needed <= given <= known


def test_settings_of_a_type_are_checked_before_the_work(capsys, monkeypatch):
    stage = Stage(
        "segment", "split", "builtins:dict", (), "", settings="muver.views.settings:Segment"
    )
    monkeypatch.setitem(TABLE, "segment", stage)
    with pytest.raises(SystemExit):
        main(["segment", "--help"])
    assert "--settings JSON punkt: one of english, train" in " ".join(
        capsys.readouterr().out.split()
    )
    with pytest.raises(SystemExit):
        main(["segment"])
    assert "required: --settings" in capsys.readouterr().err
    assert main(["segment", "--settings", '{"punkt": "englisch"}']) == 2
    assert "--settings: punkt is 'englisch'. Did you mean 'english'?" in capsys.readouterr().err
    assert main(["segment", "--settings", '{"punkt": "english"}']) == 0
