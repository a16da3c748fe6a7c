"""Lists of SHA-256 beside artifacts."""

import shutil
import subprocess
from pathlib import Path
from unittest.mock import Mock

import pyarrow as pa
import pytest

from muver.io.checksums import check, list_of, seal, verify
from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.parquet import read_table
from muver.io.typed import Record, read_record
from muver.reproduction.report.results import RunFiles
from muver.retriever.vectors.part import Part

MODEL = Path("models/muver-0123abcd")
RUN = RunFiles(results=Path(), workspace=Path())


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sealed folder of two files, in the present folder."""
    monkeypatch.chdir(tmp_path)
    files = [MODEL / "tokenizer.json", MODEL / "entity_encoder/config.json"]
    for file in files:
        write_text(file, "{}")
    seal(files)
    return MODEL


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("build/m/models/muver-0123abcd/entity_encoder/x.bin", "build/m/models/muver-0123abcd"),
        ("build/m/runs/test/muver-0123abcd.parquet", "build/m/runs/test/muver-0123abcd"),
        ("build/m/corpus/0123abcd/counts.json", "build/m/corpus/0123abcd"),
        ("build/m/models/muver-lr0.001-0123abcd", "build/m/models/muver-lr0.001-0123abcd"),
        ("results/table1.json", None),
        ("results/m/table1.json", "results/m/table1"),
        ("results/m/figures/figure2.svg", "results/m/figures/figure2"),
        ("results/m/plots/figure2.csv", None),
        ("build/m/recorded/table1.csv", "build/m/recorded/table1"),
        ("build/m/recorded/table1.failed", None),  # a message, which goes with its cause
        ("build/m/raw/0123abcdef", None),
    ],
)
def test_the_list_of_an_artifact(path, expected):
    assert list_of(Path(path)) == (expected and Path(f"{expected}.sha256"))


def test_a_list_is_one_of_sha256sum(model):
    assert shutil.which("sha256sum")
    subprocess.run(["sha256sum", "--check", "muver-0123abcd.sha256"], cwd=model.parent, check=True)


def test_what_is_as_it_was_written_the_last_time(model):
    for text in ("[1]", "[1, 2]"):
        check([model, model / "tokenizer.json", Path("results/table1.json")])
        verify(folder=Path())
        write_text(model / "tokenizer.json", text)
        seal([model / "tokenizer.json"])


def test_a_damaged_file_is_told_and_renamed(model):
    file = model / "entity_encoder/config.json"
    file.write_text("[]")
    check([model / "tokenizer.json"])  # which is not
    with pytest.raises(InputError, match="1 damaged file"):
        verify(folder=Path())
    with pytest.raises(InputError, match=str(file)):
        check([model])
    assert not file.exists() and file.with_name("config.json.damaged").exists()
    check([model])


def test_a_damaged_file_on_a_disk_that_nobody_can_write_is_told(model, monkeypatch):
    file = model / "tokenizer.json"
    file.write_text("[]")
    monkeypatch.setattr(Path, "rename", Mock(side_effect=PermissionError))
    with pytest.raises(InputError, match=r"Remove it; run the same command again"):
        check([model])
    assert file.exists()


def test_a_link_leads_to_the_list(model, tmp_path):
    (tmp_path / "current").symlink_to(model.parent / "muver-0123abcd")
    (model / "tokenizer.json").write_text("[]")
    with pytest.raises(InputError, match="tokenizer.json: its bytes are not those"):
        check([Path("current/tokenizer.json")])


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("results/m/table1.json", lambda path: read_record(path, Record, "a record", "")),
        ("runs-0123abcd/table.parquet", lambda path: read_table(path, pa.schema([]), "x", "y")),
        ("stores-0123abcd/layer0.parquet", lambda path: Part(path.with_suffix(".npy"))),
        ("recorded/table1.csv", lambda path: RUN.addresses("table1")),
    ],
)
def test_whoever_reads_a_damaged_file_is_told(name, read):
    """Not only stages, which look at what they are given: the report, and `muver show`."""
    path = Path(name)
    write_text(path, '{"a": 1}')
    seal([path])
    path.write_text('{"a": 2}')
    with pytest.raises(InputError, match="its bytes are not those"):
        read(path)


def test_what_a_killed_process_left_of_a_file_goes_when_it_is_written(model):
    file = model / "tokenizer.json"
    left, other = (model / f".{name}.0a1b2c3d.tmp" for name in (file.name, "config.json"))
    for path in (left, other):
        path.touch()
    seal([file])
    assert not left.exists()
    assert other.exists()  # somebody may be writing it


def test_nothing_to_verify():
    with pytest.raises(InputError, match="nowhere"):
        verify(folder=Path("nowhere"))


def test_a_list_that_is_itself_damaged_is_no_traceback(model):
    where = model.with_name(f"{model.name}.sha256")
    where.write_bytes(b"\xff" + where.read_bytes()[1:])
    check([model])
