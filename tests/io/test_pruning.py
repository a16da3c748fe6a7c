"""Pruning keeps what is asked for, whatever its name, and removes the rest."""

from muver.io.pruning import prune


def test_points_of_a_grid_have_dots_in_their_names(tmp_path):
    names = ["lr0.0001_wd0.01_wu0.1_bs8", "lr0.0003_wd0.01_wu0.1_bs8"]
    for name in names:
        (tmp_path / f"{name}.jsonl").touch()
    prune(tmp_path, [names[0]])
    assert [path.name for path in tmp_path.iterdir()] == [f"{names[0]}.jsonl"]


def test_files_by_their_name_without_suffix_and_folders_by_all_of_it(tmp_path):
    for file in ("test/muver.parquet", "test/muver.json", "test/muver_max.json", "val/muver.json"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "test" / "muver.old").mkdir()
    prune(tmp_path, ["test/muver"])
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == ["test", "test/muver.json", "test/muver.parquet"]
