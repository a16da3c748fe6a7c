"""What a file was made from, by the catalog of its dataset's folder."""

from muver.io.files import write_json
from muver.reproduction.workspace.catalog import NAME, origins, place_of


def test_a_file_s_place_is_found_through_links(tmp_path):
    root = tmp_path / "build" / "wiki"
    (root / "runs/test").mkdir(parents=True)
    (root / "runs/test/muver-1.parquet").touch()
    (root / "current").mkdir()
    link = root / "current" / "muver.parquet"
    link.symlink_to("../runs/test/muver-1.parquet")
    assert place_of(link) is None
    write_json(root / NAME, {})
    assert place_of(link) == (root.resolve(), "runs/test/muver-1")


def test_the_nearest_of_each_kind(tmp_path):
    made_of = {
        "runs/test/a": ["stores/test/a", "runs/val/a"],
        "runs/val/a": ["stores/val/a", "corpus/1"],
        "stores/test/a": ["models/a", "corpus/1"],
    }
    write_json(tmp_path / NAME, made_of)
    expected = {"runs": "runs/test/a", "stores": "stores/test/a", "models": "models/a"}
    expected = {kind: tmp_path / one for kind, one in {**expected, "corpus": "corpus/1"}.items()}
    assert origins(tmp_path, "runs/test/a") == expected
