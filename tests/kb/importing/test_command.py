"""The command, as its help says it."""

from muver.cli import main
from muver.kb.importing.schema import read_entities
from tests.commands.test_examples import example


def test_the_example_of_the_help(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "products.csv").write_text("sku,product,aliases\n7,Lamp,light;lantern\n")
    assert main(example("kb import")) == 0
    (lamp,) = read_entities("kb").to_pylist()
    assert (lamp["id"], lamp["title"], lamp["aliases"]) == ("7", "Lamp", ["light", "lantern"])
    assert "1 entity, 1 without a description, 1 with 2 aliases" in capsys.readouterr().err


def test_what_there_is_none_of_is_not_told(tmp_path, capsys):
    (tmp_path / "lamps.csv").write_text("id,title,text\n7,Lamp,It shines.\n")
    assert main(["kb", "import", str(tmp_path / "lamps.csv"), "--out", str(tmp_path / "kb")]) == 0
    assert capsys.readouterr().err.endswith("lamps.csv: 1 entity\n")


def test_two_words_make_a_command_and_one_is_another(tmp_path, capsys):
    assert main(["kb", "import", str(tmp_path / "none.csv"), "--out", str(tmp_path / "kb")]) == 2
    assert "muver kb import: error: " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
