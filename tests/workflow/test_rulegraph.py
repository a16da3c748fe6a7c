"""The drawing of the rules in docs is that of the rules as they are."""

import pytest

from tests.scripts import script
from tests.workflow.conftest import ROOT, copy_of_the_project


def test_the_drawing_is_up_to_date(tmp_path):
    project = copy_of_the_project(tmp_path)
    (tmp_path / "docs").mkdir()
    project.run("python", "workflow/rulegraph.py")
    drawn = project.read("docs/rulegraph.md").decode()
    assert drawn == (ROOT / "docs/rulegraph.md").read_text(encoding="utf-8"), "make rulegraph"


@pytest.fixture
def rulegraph():
    return script("rulegraph")


def test_rules_are_called_by_their_names(rulegraph):
    printed = "flowchart TB\n\tid0[all]\n\tid1[train]\n\tstyle id0 fill:#D95757\n\tid1 --> id0\n"
    assert "flowchart TB\n    train --> all\n```" in rulegraph.draw(printed)


def test_no_graph_is_told(rulegraph):
    with pytest.raises(SystemExit, match="no graph"):
        rulegraph.draw("Building DAG of jobs...\n")
