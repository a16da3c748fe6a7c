"""``muver index push`` and ``--qdrant``, as a user types them."""

import json

from muver.cli import main
from muver.kb.index.index import Index
from tests.kb.index.qdrant.conftest import RANKED

WHERE = "http://qdrant.test:6333/harbour"
TEXT = "In spring [[the river king]] saw it."


def test_push_query_and_evaluate(tmp_path, model, entities, qdrant, capsys):
    def run(*words) -> tuple[str, str]:
        assert main([str(word) for word in words]) == 0
        return capsys.readouterr()

    index = Index.create(tmp_path / "harbour", entities, model, weights=RANKED)
    assert "12 added; 12 entities now" in run("index", "push", index.folder, WHERE)[1]
    assert "12 unchanged; 12 entities now" in run("index", "push", index.folder, WHERE)[1]
    asked = ("query", index.folder, TEXT, "--json")
    assert run(*asked, "--qdrant", WHERE)[0] == run(*asked)[0]
    line = {"left": "", "mention": "king", "right": "", "gold": "e3"}
    (tmp_path / "mentions.jsonl").write_text(json.dumps(line))
    measured = ("index", "evaluate", index.folder, tmp_path / "mentions.jsonl")
    assert run(*measured, "--qdrant", WHERE)[0] == run(*measured)[0]


def test_a_row_is_not_in_qdrant(tmp_path, capsys):
    (tmp_path / "row.json").write_text("{}")
    assert main(["query", str(tmp_path / "row.json"), TEXT, "--qdrant", WHERE]) == 2
    assert "row.json: not an index of one's own entities" in capsys.readouterr().err
