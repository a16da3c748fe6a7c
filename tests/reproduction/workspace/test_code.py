"""The code that decides a rule's output, found by following the imports."""

import ast
import re

import pytest

from muver.reproduction.workspace.steps import BEGINS, FREE, KIND, PACKAGE, STEPS, code, read_by
from muver.retriever.retrieval.kinds import names

RULES = [*(step.rule for step in STEPS if step.rule not in ("retrieve", "punkt_english"))]
RULES += [
    rule
    for file in (PACKAGE.parent / "workflow").rglob("*.smk")
    for rule in re.findall(r'\bcode\("(\w+)"\)', file.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("rule", sorted({*RULES, *(f"{KIND}{name}" for name in names())}))
def test_a_rule_has_code(rule):
    files = code(rule)
    assert files and all((PACKAGE.parent / file).is_file() for file in files)
    assert not {f"muver/{name}" for name in FREE} & set(files)
    assert not any("/stages/" in file for file in files if "encoders" not in file)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("merge", ["muver/retriever/views/merging.py", "muver/retriever/encoders/bert.py"]),
        ("train", ["muver/retriever/corpus/schema.py"]),  # which negatives, and of which split
        ("retrieve_bm25", ["muver/retriever/retrieval/exact.py", "muver/retriever/runs/run.py"]),
        (
            "figure",
            ["muver/reproduction/tables/paper.yaml", "muver/retriever/evaluation/bootstrap.py"],
        ),
        ("report", ["muver/assets/page.css", "muver/reproduction/tables/cells.py"]),
        ("download", ["muver/retriever/corpus/sources.yaml"]),
        (
            "download_worlds",
            ["muver/kb/importing/pages/realworlds.yaml", "muver/kb/importing/wikitext.py"],
        ),
    ],
)
def test_a_change_that_another_result_may_come_of_runs_a_rule_again(rule, expected):
    assert {*expected} <= {*code(rule)}


@pytest.mark.parametrize(
    ("rule", "free"),
    [
        ("train", "muver/retriever/views/merging.py"),  # merging is no part of training
        ("evaluate", "muver/retriever/encoders/bert.py"),  # a run is scored without a model
        ("table", "muver/retriever/retrieval/exact.py"),
        ("retrieve_bm25", "muver/retriever/training/loop.py"),
    ],
)
def test_and_no_other(rule, free):
    assert (PACKAGE.parent / free).is_file() and free not in code(rule)


def test_imports_are_followed_as_python_reads_them():
    """By text, which is fast; here by the parsed modules."""
    for path in PACKAGE.rglob("*.py"):
        modules = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert all(name.name.split(".")[0] != "muver" for name in node.names), path
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                if (node.module or "").split(".")[0] == "muver":
                    folder = PACKAGE.joinpath(*node.module.split(".")[1:])
                    for name in node.names:
                        places = (folder / f"{name.name}.py", folder.with_suffix(".py"))
                        found = [place for place in places if place.is_file()]
                        modules.add(found[0] if found else folder / "__init__.py")
        followed = {file for file in read_by(path) if file.suffix == ".py"}
        assert modules <= followed, path
        # A model's card quotes an import; it is not followed any further.
        assert modules == followed or path.relative_to(PACKAGE).as_posix() in FREE, path


def test_the_lists_name_files():
    listed = [*FREE, *(name for some in BEGINS.values() for name in some)]
    assert all((PACKAGE / name).is_file() for name in listed)
