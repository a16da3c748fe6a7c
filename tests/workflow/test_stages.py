"""DVC's stages and the rules agree."""

import re
from pathlib import Path

import pytest
import yaml

from muver.reproduction.workspace import code
from muver.reproduction.workspace.graph import STAGES

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
    made = set(re.findall(r'W\.pattern\("(\w+)"\)', RULES)) - {"punkt_english"}
    assert made <= set(kinds)


def test_dvc_hashes_the_code_that_snakemake_takes_as_inputs():
    blocks = re.split(
        r"^ *(?:rule|checkpoint|use rule \w+ as) (\w+)(?: with)?:$", RULES, flags=re.MULTILINE
    )
    found = {
        rule: re.findall(r'code\("(\w+)"', body)
        for rule, body in zip(blocks[1::2], blocks[2::2], strict=True)
        if re.search(r'^ +inputs\("', body, re.MULTILINE)
    }
    assert found.pop("retrieve") == []  # by its kind: tests/reproduction/workspace/test_code.py
    assert "train" in found and "link" in found
    for rule, names in found.items():
        assert names == [rule], rule
        assert all(code(name) for name in names)
