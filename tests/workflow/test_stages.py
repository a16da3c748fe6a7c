"""DVC's stages and the rules agree."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from muver.commands import COMMANDS, STAGE
from muver.reproduction.workspace.steps import STAGES, STEPS, code

ROOT = Path(__file__).parents[2]
DECLARED = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
RULES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_keeps_its_kinds_and_depends_on_its_list(stage):
    kept = [path for out in DECLARED[stage]["outs"] for path in out]
    assert kept == [f"build/${{preset}}/{kind}" for kind in STAGES[stage]]
    assert DECLARED[stage]["deps"][0] == f"build/${{preset}}/asked/{stage}.json"
    assert DECLARED[stage]["cmd"].endswith(f"-- stage_{stage}")


def test_every_kind_is_kept_by_one_stage():
    kinds = [kind for kinds in STAGES.values() for kind in kinds]
    assert len(set(kinds)) == len(kinds)
    assert {step.kind for step in STEPS} - set(kinds) == {"punkt_english", "indexes"}  # of no key


def test_every_step_has_a_command_and_code():
    for step in STEPS:
        assert f"{STAGE}{step.command}" in COMMANDS, step.rule
        # What a retriever kind decides is told by the kind, and a pinned file by its checksum.
        assert step.rule in ("retrieve", "punkt_english") or code(step.rule)


def test_what_the_rules_import_loads_no_library_of_numbers():
    """Every call of Snakemake would wait for it, also one that has nothing to do."""
    modules = re.findall(r"^from (muver\S*) import", RULES, re.MULTILINE)
    script = f"import sys, {', '.join(modules)}\nprint(*{{'numpy', 'pyarrow'}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr


def test_nothing_of_a_user_stands_in_a_command():
    """A job is told by a file; in a command stand names that settings check, and paths of ours."""
    safe = {
        "log", "params.stage", "params.job", "params.then", "params.launch", "params.number",
        "threads",
        "params.command",  # one of muver/commands.py
        "params.call",  # quoted where it is made
        "params.forms",  # a workspace's and a result's name
    }  # fmt: skip
    shells = re.findall(r"^ +shell:\n((?: +f?\".*\n)+)", RULES, re.MULTILINE)
    assert len(shells) > 5
    for shell in shells:
        assert (
            set(re.findall(r"(?<!\{)\{([\w.\[\]]+)\}", shell.replace("{{", "{").replace("}}", "}")))
            <= safe
        )
