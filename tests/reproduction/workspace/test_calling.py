"""Snakemake called from any folder."""

import os
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.reproduction.workspace import calling


def test_names_are_tables_and_files_are_files(monkeypatch):
    monkeypatch.setattr(calling, "home", lambda: Path(__file__).parents[3])
    given = calling.call(["table1", "results/figure2.csv"], {"seed": 3}, "4", "default")
    assert given[given.index("--cores") + 2 :] == [
        "results/table1.csv", "results/figure2.csv", "--config", "seed=3",
    ]  # fmt: skip
    assert given[given.index("--workflow-profile") + 1].endswith("workflow/profiles/default")


def test_a_profile_may_be_a_folder(tmp_path):
    assert str(tmp_path) in calling.call([], {}, "all", str(tmp_path))


def test_a_mistyped_profile_is_told_with_those_there_are():
    with pytest.raises(InputError, match="--profile slrum: .*default, .*, slurm"):
        calling.call([], {}, "all", "slrum")


def test_an_executor_that_is_not_there_is_told_with_its_package(tmp_path):
    settings = tmp_path / "config.yaml"
    settings.write_text("executor: my-own\n")
    with pytest.raises(InputError) as refused:
        calling.call([], {}, "all", str(tmp_path))
    assert str(refused.value) == (
        f"{settings}: the executor my-own is not installed. Install it with: pip install "
        "snakemake-executor-plugin-my-own"
    )


def test_a_profile_that_is_not_yaml_is_told_with_its_file(tmp_path):
    (tmp_path / "config.yaml").write_text("executor: [slurm")
    with pytest.raises(InputError, match=r"config\.yaml: not YAML"):
        calling.call([], {}, "all", str(tmp_path))


@pytest.mark.parametrize("settings", ["jobs: 4", "executor: local"])
def test_other_profiles_need_nothing_more(tmp_path, settings):
    (tmp_path / "config.yaml").write_text(settings)
    assert calling.call([], {}, "all", str(tmp_path))


def test_snakemake_takes_over(monkeypatch):
    became = []
    monkeypatch.setattr(os, "execv", lambda program, command: became.append(command))
    monkeypatch.setenv("PATH", "/bin")
    calling.run(["table4"], config=[("preset", "zeshel")], cores="2", dry_run=True)
    (command,) = became
    assert command[1:3] == ["-m", "snakemake"]
    assert command[-4:] == ["results/table4.csv", "--config", "preset=zeshel", "--dry-run"]
    assert Path(os.environ["PATH"].split(os.pathsep)[0], "python").exists()


def test_where_the_snakefile_lies(capsys):
    calling.run(show=True)
    assert Path(capsys.readouterr().out.strip()).name == "Snakefile"
