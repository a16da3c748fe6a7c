"""The workflow used from another folder: as a module, and by an installed package."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.workflow.conftest import ROOT, Project

MODULE = """
module muver:
    snakefile: "{root}/workflow/Snakefile"
    config: {config}

use rule * from muver as muver_*

rule best:
    default_target: True
    input:
        "results/miniwikia/table1.csv",
    output:
        "best.txt",
    shell:
        "cut -d , -f 1,2 {{input}} > {{output}}"
"""
CONFIG = {"tables": {"table1": ["bm25", "blink_128"]}, "tracking": {"enabled": False}}


def run(folder: Path, *command: str, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**Project(ROOT).environment, **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_as_a_module_of_another_workflow(tmp_path):
    """Its own table is asked for, of the rows that the other workflow's config names."""
    (tmp_path / "Snakefile").write_text(MODULE.format(root=ROOT, config=CONFIG))
    said = run(tmp_path, "snakemake", "--dry-run")
    counts = dict(line.split() for line in said.splitlines() if line.startswith("muver_"))
    assert counts["muver_evaluate"] == "2"
    assert counts["muver_train"] == "1"
    assert "best " in said


def test_in_the_folder_of_the_catalog_s_test(tmp_path):
    """`--directory .test` takes its config/config.yaml, and the command line wins over that."""
    for name in ("config", "tiny"):
        shutil.copytree(ROOT / ".test" / name, tmp_path / name)
    asked = ("snakemake", "--dry-run", "--directory", str(tmp_path), "--cores", "2")
    said = run(ROOT, *asked, "--config", "tables={table1: [bm25, muver]}")
    counts = dict(re.findall(r"^(\w+) +(\d+)$", said, re.MULTILINE))
    assert (counts["train"], counts["evaluate"]) == ("1", "2")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--config", "models=4"], "--config: models is 4: expected `object`, got `int`."),
        (["results/tabel1.csv"], "results/tabel1.csv: the dataset miniwikia has no table of this"),
    ],
)
def test_of_a_user_s_mistake_stands_the_message_alone(words, message):
    """Of settings, and of a target whose rule has an input function."""
    command = ["snakemake", "--dry-run", *words]
    options = {"cwd": ROOT, "env": Project(ROOT).environment, "text": True}
    done = subprocess.run(command, **options, capture_output=True)
    lines = done.stdout.splitlines()  # where a dry run says all
    assert done.returncode == 1 and lines.pop().startswith(message)
    assert not any("Error" in line or "File" in line for line in lines)


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A folder of packages with what `pip install` gets of this project."""
    folder = tmp_path_factory.mktemp("installed")
    run(ROOT, sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", str(folder))
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder / "packages")
    return folder / "packages"


def test_by_an_installed_package_from_any_folder(tmp_path, installed):
    """Snakefile, params.yaml and the default's data come with it; results stay in the folder."""
    command = (sys.executable, "-m", "muver.cli", "run")
    place = run(tmp_path, *command, "--print", PYTHONPATH=str(installed)).strip()
    assert Path(place) == installed / "muver/project/workflow/Snakefile"
    assert (installed / "muver/retriever/corpus/miniwikia.tar.xz").is_file()
    assert not (installed / "miniwikia").exists()
    config = ("--config", "tables={table1: [bm25]}")
    said = run(tmp_path, *command, "table1", "--dry-run", *config, PYTHONPATH=str(installed))
    assert "retrieve " in said and "train " not in said


CONDA = """#!/bin/sh
case "$*" in
    --version) echo conda 26.1.0 ;;
    "info --json") echo '{{"conda_prefix": "{folder}", "platform": "linux-64"}}' ;;
    config*) echo '{{"get": {{"channel_priority": "strict"}}}}' ;;
    "env create"*)
        for last; do :; done
        mkdir -p "$last/bin"
        printf '#!/bin/sh\\necho "$PYTHONPATH" "$@" >> {folder}/calls\\nexec {python} "$@"\\n' \\
            > "$last/bin/python"
        chmod +x "$last/bin/python" ;;
esac
"""


def test_jobs_in_an_environment_of_conda(tmp_path):
    """A stand-in takes conda's place; its environment's python runs this project's code."""
    folder = tmp_path / "conda"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/conda").write_text(CONDA.format(folder=folder, python=sys.executable))
    (folder / "bin/conda").chmod(0o755)
    (folder / "bin/activate").write_text('PATH="$1/bin:$PATH"')
    run(
        tmp_path, "snakemake", "--snakefile", str(ROOT / "workflow/Snakefile"), "--cores", "1",
        "--sdm", "conda", "--until", "download",
        PATH=f"{folder}/bin:{Project(ROOT).environment['PATH']}",
    )  # fmt: skip
    (call,) = (folder / "calls").read_text().splitlines()
    assert call.startswith(f"{tmp_path}/.snakemake/code -m muver.cli stage download ")
    (environment,) = tmp_path.glob(".snakemake/conda/*.yaml")
    assert environment.read_text() == (ROOT / "environment.yml").read_text()
