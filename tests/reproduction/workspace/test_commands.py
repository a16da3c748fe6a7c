import os
import sys
from pathlib import Path

from muver.reproduction.workspace.commands import find_commands, run_code_of

OWN = str(Path(sys.executable).parent)


def test_commands_of_an_environment_that_is_not_activated(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    find_commands()
    assert os.environ["PATH"] == f"{OWN}{os.pathsep}{tmp_path}"


def test_a_muver_on_the_path_stays_first(monkeypatch, tmp_path):
    (tmp_path / "muver").write_text("#!/bin/sh\n")
    (tmp_path / "muver").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    find_commands()
    assert os.environ["PATH"] == str(tmp_path)


def test_the_code_of_the_present_folder_comes_first(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "others")
    run_code_of(Path("/elsewhere"))
    assert os.environ["PYTHONPATH"] == "others"
    run_code_of(Path.cwd())
    assert os.environ["PYTHONPATH"] == f"{Path.cwd()}{os.pathsep}others"
    monkeypatch.delenv("PYTHONPATH")
    run_code_of(Path.cwd())
    assert os.environ["PYTHONPATH"] == str(Path.cwd())
