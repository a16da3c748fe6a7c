"""What lies beside what is kept, whatever its name."""

from muver.io.pruning import remove_all, size, strays


def below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_points_of_a_grid_have_dots_in_their_names(tmp_path):
    names = ["lr0.0001_wd0.01_wu0.1_bs8", "lr0.0003_wd0.01_wu0.1_bs8"]
    for name in names:
        (tmp_path / f"{name}.jsonl").touch()
    assert list(strays(tmp_path, [tmp_path / names[0]])) == [tmp_path / f"{names[1]}.jsonl"]


def test_files_by_their_name_without_suffix_and_folders_by_all_of_it(tmp_path):
    for file in ("test/muver.parquet", "test/muver.json", "test/muver_max.json", "val/muver.json"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "test" / "muver.old").mkdir()
    remove_all(strays(tmp_path, [tmp_path / "test/muver"]))
    assert below(tmp_path) == ["test", "test/muver.json", "test/muver.parquet"]


def test_folders_are_kept_whole_however_deep(tmp_path):
    for name in ("test/muver", "val/muver", "test/som", "train/muver"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "layer0.npy").write_bytes(bytes(10))
    left = list(strays(tmp_path, [tmp_path / "test/muver", tmp_path / "val/muver"]))
    assert left == [tmp_path / "test/som", tmp_path / "train"]
    assert [size(path) for path in left] == [10, 10]
    assert list(strays(tmp_path / "nowhere", [])) == []
