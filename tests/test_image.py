"""The Dockerfile, as far as it goes without a builder: a shell runs its steps, in order, on the
files that git tracks, with stand-ins for the programs that change a system.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from muver.commands import COMMANDS
from muver.options import parser_of

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
STEPS = [line.split(maxsplit=1) for line in LINES if line.strip() and line[0] != "#"]
OF_BASE = ("apt-get", "rm", "useradd", "chmod", "install")  # of Debian's essential packages
SAID = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$(basename "$0") $1" in "apt-get install")
    for package; do [ "$package" != make ] || cp "$0" "$(dirname "$0")/make"; done
esac
"""


def said(name):
    return [what for word, what in STEPS if word == name]


def only(name):
    (found,) = said(name)
    return found


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """What the image gets by COPY, as a clone has it: all that is tracked and not left out."""
    place = tmp_path_factory.mktemp("image") / "muver"
    source, _ = only("COPY").split()
    left_out = [name.strip("*/") for name in (ROOT / ".dockerignore").read_text().split()]
    listed = subprocess.run(["git", "ls-files", source], cwd=ROOT, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        if not {*left_out} & {*Path(name).parts}:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    return place


@pytest.fixture(scope="module")
def calls(tree):
    """What the steps call, after all of them went well."""
    programs = tree.parent / "programs"
    for program in (*(programs / name for name in OF_BASE), tree / ".venv" / "bin" / "python"):
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(SAID)
        program.chmod(0o755)
    (programs / "cp").symlink_to(shutil.which("cp"))
    (programs / "basename").symlink_to(shutil.which("basename"))
    (programs / "dirname").symlink_to(shutil.which("dirname"))
    told = {"PATH": str(programs), "CALLS": str(tree.parent / "calls"), "GPU": only("ARG")[-1]}
    _, place = only("COPY").split()
    for step in said("RUN"):
        call = ["/bin/sh", "-euc", step.replace(place, str(tree))]
        done = subprocess.run(call, env=told, cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return [line.split() for line in Path(told["CALLS"]).read_text().splitlines()]


def test_the_base_is_of_one_day():
    assert re.fullmatch(r"debian:\d+\.\d+-slim@sha256:[0-9a-f]{64}", only("FROM"))


def test_each_step_names_what_is_there(calls, tree):
    (make,) = [words[1:] for words in calls if words[0] == "make"]
    plan = subprocess.run(["make", "--dry-run", *make], capture_output=True, text=True)
    assert plan.returncode == 0, plan.stderr
    scripts = re.findall(r"requirements/\S+\.sh", plan.stdout)
    assert scripts and all(os.access(tree / name, os.X_OK) for name in scripts)
    named = [word for words in calls for word in words[1:] if word.startswith(str(tree))]
    assert named and all(Path(word).exists() for word in named)
    (installed,) = [words for words in calls if words[:2] == ["apt-get", "install"]]
    assert {"ca-certificates", "git", "make", "python3-venv"} < {*installed}


def test_its_user_is_not_root_and_has_its_folders(calls):
    (made,) = [words for words in calls if words[0] == "useradd"]
    assert made[made.index("--uid") + 1] == only("USER") != "0" and "--create-home" in made
    told = dict(pair.split("=", 1) for pair in only("ENV").split())
    assert (told["HOME"], told["USER"]) == (f"/home/{made[-1]}", made[-1])
    _, place = only("COPY").split()
    assert told["PATH"] == f"{place}/.venv/bin:$PATH"
    assert ["chmod", "1777", told["HOME"]] in calls
    assert ["install", "--directory", "--mode", "1777", only("WORKDIR")] in calls
    assert [word for word, _ in STEPS].index("USER") > max(
        number for number, (word, _) in enumerate(STEPS) if word == "RUN"
    )


def test_its_entry_is_the_service(tree):
    entry, given = json.loads(only("ENTRYPOINT")), json.loads(only("CMD"))
    assert entry == ["muver"] and given[0] == "serve"
    asked = parser_of(COMMANDS["serve"]).parse_args(given[1:])
    head = "\n".join(line for line in LINES if line.startswith("#"))
    assert asked.host == "0.0.0.0" and f"{only('WORKDIR')}/{asked.indexes[0]}" in head
    call = [sys.executable, "-m", "muver.cli", *given]
    kept = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "USER": "muver"}
    tree.chmod(0o555)
    done = subprocess.run(call, cwd="/", env=os.environ | kept, capture_output=True, text=True)
    tree.chmod(0o755)
    assert done.returncode == 2 and "index" in done.stderr and "Traceback" not in done.stderr
