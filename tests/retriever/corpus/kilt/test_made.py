"""Parts that are made: opened, counted, streamed."""

import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of, write_json
from muver.retriever.corpus.kilt.make import make_missing
from muver.retriever.corpus.kilt.parts import made_parts, open_part
from tests.retriever.corpus.kilt.conftest import line


@pytest.fixture
def base(dump, small_parts, tmp_path):
    with open(dump, "ab") as file:
        file.write(line(999, "Bare"))
    make_missing(dump, tmp_path / "kb", small_parts)
    return tmp_path / "kb"


def test_sizes_without_reading(base):
    numbers = made_parts(base)
    assert numbers == list(range(len(numbers))) and len(numbers) > 5
    parts = [open_part(base, number) for number in numbers]
    assert sum(part.entities for part in parts) == 41
    # 40 pages of two paragraphs, and one without any.
    assert sum(part.segments for part in parts) == 81
    for part in parts:
        rows = pq.read_table(part.path)["paragraphs"].to_pylist()
        assert part.segments == sum(max(len(some), 1) for some in rows)
        assert part.fingerprint == sha256_of(part.path)
        assert part.bytes == part.path.stat().st_size


@pytest.mark.parametrize("size", [1, 3, 100])
def test_rows_in_order_some_at_a_time(base, size):
    part = open_part(base, 1)
    batches = list(part.batches(["title"], size))
    assert all(batch.num_rows <= size for batch in batches)
    titles = [title for batch in batches for title in batch.column("title").to_pylist()]
    assert titles == pq.read_table(part.path)["title"].to_pylist() and len(titles) > 2


def test_parts_that_are_not_there(base, tmp_path):
    last = made_parts(base)[-1]
    with pytest.raises(InputError, match=f"--part 99: .*0 to {last}"):
        open_part(base, 99)
    with pytest.raises(InputError, match="--part 0"):
        open_part(tmp_path / "nothing", 0)


def test_a_part_that_is_not_as_its_manifest_says(base):
    part = open_part(base, 0)
    manifest = read_json(base / "part-00000.json")
    for spoil in (
        lambda: write_json(base / "part-00000.json", {**manifest, "entities": 7}),
        lambda: part.path.write_bytes(part.path.read_bytes()[:-30]),
        part.path.unlink,
    ):
        spoil()
        with pytest.raises(InputError, match="part-00000.parquet.* damaged"):
            open_part(base, 0)
