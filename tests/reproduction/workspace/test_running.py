"""Snakemake called from any folder."""

import os
import sys
from pathlib import Path

import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.reproduction.workspace import running
from muver.reproduction.workspace.running import find_commands, run_code_of

OWN = str(Path(sys.executable).parent)


def test_names_are_tables_and_files_are_files(monkeypatch):
    monkeypatch.setattr(running, "home", lambda: Path(__file__).parents[3])
    given = running.call(["table1", "results/figure2.csv"], {"seed": 3}, "4", "default")
    assert given[given.index("--cores") + 2 :] == [
        "results/table1.csv", "results/figure2.csv", "--config", "seed=3",
    ]  # fmt: skip
    assert given[given.index("--workflow-profile") + 1].endswith("workflow/profiles/default")


def test_a_profile_may_be_a_folder(tmp_path):
    assert str(tmp_path) in running.call([], {}, "all", str(tmp_path))


def test_a_mistyped_profile_is_told_with_those_there_are():
    with pytest.raises(InputError, match="--profile slrum: .*default, slurm"):
        running.call([], {}, "all", "slrum")


def test_snakemake_takes_over(monkeypatch):
    became = []
    monkeypatch.setattr(os, "execv", lambda program, command: became.append(command))
    monkeypatch.setenv("PATH", "/bin")
    running.run(["table4"], config=[("preset", "zeshel")], cores="2", dry_run=True)
    (command,) = became
    assert command[1:3] == ["-m", "snakemake"]
    assert command[-4:] == ["results/table4.csv", "--config", "preset=zeshel", "--dry-run"]


def test_settings_are_looked_at_before_snakemake(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "execv", None)
    assert main(["run", "--config", "merge.top_k=0.2"]) == 2
    said = capsys.readouterr().err
    assert "unknown key merge.top_k" in said and "--config merge='{top_k: 0.2}'" in said


def test_what_is_to_be_installed_is_told(monkeypatch, capsys):
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    assert main(["run", "table4"]) == 2
    assert "Install it with: pip install 'snakemake" in capsys.readouterr().err


def test_where_the_snakefile_lies(capsys):
    running.run(show=True)
    assert Path(capsys.readouterr().out.strip()).name == "Snakefile"


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
