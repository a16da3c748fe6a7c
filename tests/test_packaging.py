import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import muver

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PIN = re.compile(r"^([a-z0-9.-]+)==([^ ]+)", flags=re.MULTILINE)


def pins(*names: str) -> dict[str, str]:
    """Versions by package of the locks named, or of all."""
    locks = [lock for lock in LOCKS if not names or lock.name in names]
    return dict(pin for lock in locks for pin in PIN.findall(lock.read_text()))


def declared() -> list[Requirement]:
    """What pyproject.toml asks for, extras included."""
    groups = PROJECT["dependencies"], *EXTRAS.values()
    return [Requirement(text) for group in groups for text in group]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_holds_pins_and_hashes_and_no_place(lock):
    pin = r"[a-z0-9.-]+==[A-Za-z0-9.+!]+(?: ; [^/@\\]+)? \\"
    digest = r"    --hash=sha256:[0-9a-f]{64}(?: \\)?"
    text = lock.read_text()
    for number, line in enumerate(text.splitlines(), start=1):
        assert re.fullmatch(rf"{pin}|{digest}", line), f"{lock.name}, line {number}: {line}"
    assert not re.search(r"\\\n(?! )", text), "a requirement without a hash"


@pytest.mark.parametrize("requirement", declared(), ids=str)
def test_what_the_project_asks_for_is_locked(requirement):
    assert requirement.specifier.contains(pins()[requirement.name])


def test_the_core_answers_mentions_without_the_reproduction(tmp_path):
    """In a process where the packages of the extra `reproduce` can't be imported."""
    script = f"""
import sys
sys.modules |= dict.fromkeys({[Requirement(text).name for text in EXTRAS["reproduce"]]!r})
from muver.cli import main
assert main(["kb", "import", "glossary.csv", "--out", "kb"]) == 0
assert main(["index", "create", "kb", "--model", "bm25", "--out", "index"]) == 0
assert main(["query", "index", "The [[smith]] forged it."]) == 0
assert main(["show"]) == 2
"""
    (tmp_path / "glossary.csv").write_text("id,title,description\nQ1,Smith,A smith forges.\n")
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Q1" in done.stdout and "pip install '" in done.stderr


def test_the_common_lock_leaves_torch_and_faiss_to_their_own():
    common = pins("base.lock")
    assert not [name for name in common if re.match(r"(torch|triton|faiss|nvidia|cuda)\b", name)]
    assert pins("torch-cpu.lock") == {"torch": pins("torch.lock")["torch"] + "+cpu"}
    assert "faiss-cpu" not in pins("faiss-gpu.lock")
    assert "faiss-gpu" not in pins("faiss-cpu.lock")


def test_no_package_has_two_versions():
    locks = [lock for lock in LOCKS if lock.name != "torch-cpu.lock"]  # torch.lock's, without CUDA
    assert len({pin for lock in locks for pin in PIN.findall(lock.read_text())}) == len(pins())


def test_conda_gives_the_versions_of_the_lock():
    *conda, pip = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    versions = dict(entry.split("=") for entry in conda if entry != "pip")
    python = versions.pop("python")
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(python)
    versions["torch"] = versions.pop("pytorch")
    versions["faiss-cpu"] = versions.pop("faiss")
    assert versions == {name: pins()[name] for name in versions}
    of_pip = dict(line.split(" ;")[0].split("==") for line in pip["pip"])
    assert of_pip == {n: v for n, v in pins("base.lock").items() if n not in versions}


def test_the_citation_is_of_the_paper_and_of_this_code():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert "version" not in citation  # which only muver/__init__.py states
    assert citation["license"] == PROJECT["license"]
    (paper,) = citation["references"]
    assert paper["title"].startswith("MuVER: ")
    assert len(paper["authors"]) == 7


OLD = '[ "$1" = --version ] && echo Python 3.9.2 || exit 1'
BARE = 'case "$2" in *ensurepip*) exit 1;; esac'


@pytest.mark.parametrize(
    ("python", "told"),
    [
        (OLD, "Python 3.9.2, and 3.11 or later is needed. Name another one: make setup PYTHON="),
        (BARE, "lacks its venv module"),
        (None, "there is no "),
    ],
)
def test_set_up_refuses_a_python_that_will_not_do(tmp_path, python, told):
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    if python:
        (tmp_path / "python3").write_text(f"#!/bin/sh\n{python}\n")
        (tmp_path / "python3").chmod(0o755)
    done = subprocess.run(
        [tmp_path / "requirements" / "install.sh"],
        env=os.environ | {"PYTHON": str(tmp_path / "python3")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and told in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_make_lists_every_target():
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    listed = make()
    for target in set(targets[1].split()) - {"help"}:
        assert f"make {target} " in listed


def make(*words: str) -> str:
    """What a call of make prints."""
    call = {"cwd": ROOT, "capture_output": True, "text": True, "check": True}
    return subprocess.run(["make", *words], **call).stdout


def test_make_hands_settings_to_snakemake():
    said = make("--dry-run", "table1", "CONFIG=preset=zeshel seed=2", "CORES=3")
    assert "snakemake --cores 3 results/table1.csv --config preset=zeshel seed=2" in said


@pytest.mark.parametrize(("config", "told"), [("", True), ("CONFIG=seed=2", False)])
def test_make_tells_dvc_of_results_that_params_yaml_asks_for(config, told):
    said = make("--dry-run", "results", *filter(None, [config]))
    assert ("muver stage asked && .venv/bin/dvc commit --force" in said) == told


def test_the_changelog_begins_with_the_version():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0].startswith(f"[{muver.__version__}]")
