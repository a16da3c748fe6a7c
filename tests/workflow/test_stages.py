"""DVC's stages, the rules and the code they name agree."""

import re
from pathlib import Path

import pytest
import yaml

from muver.workspace import code

ROOT = Path(__file__).parents[2]
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
MADE_WHEN_ASKED = {"record", "index"}
RULES, WITH_CODE = set(), set()
# Not those of rules/linked: a knowledge base of millions of entities is no matter for DVC's cache.
for file in (ROOT / "workflow/rules").glob("*.smk"):
    text = file.read_text(encoding="utf-8")
    RULES |= set(re.findall(r"^ *rule (\w+):", text, re.MULTILINE))
    WITH_CODE |= set(re.findall(r'\bcode\("(\w+)"\)', text))


def allowed(stage: str) -> list[str]:
    """Rules that a stage's command may run, its own target left out."""
    words = STAGES[stage]["cmd"].split()
    return words[words.index("--allowed-rules") + 1 : words.index("--") - 1]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_a_target_and_its_rules_exist(stage):
    assert STAGES[stage]["cmd"].split()[-1] == f"stage_{stage}"
    assert set(allowed(stage)) | {f"stage_{stage}"} <= RULES


def test_every_rule_belongs_to_one_stage():
    grouped = [rule for stage in STAGES for rule in (*allowed(stage), f"stage_{stage}")]
    assert sorted(grouped) == sorted(RULES - MADE_WHEN_ASKED)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_depends_on_the_code_of_its_rules(stage):
    deps = [path for path in STAGES[stage]["deps"] if path.startswith("muver/")]
    for rule in allowed(stage):
        for file in code(rule) if rule in WITH_CODE else []:
            assert any(file == path or file.startswith(f"{path}/") for path in deps), (rule, file)
