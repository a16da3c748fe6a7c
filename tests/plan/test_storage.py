"""Sizes on disk: by hand, and against files."""

import numpy as np
import pytest

from muver.corpus.kilt.finish import finish
from muver.corpus.kilt.make import make_missing, make_part
from muver.corpus.kilt.settings import check_settings
from muver.io.errors import InputError
from muver.plan.settings import check
from muver.plan.storage import Base, expected_base, measured_base, mention_bytes, vector_bytes
from muver.vectors.shards import write_part
from tests.corpus.kilt.conftest import line

HEADER = 128  # bytes of an .npy file


def test_a_base_that_is_not_there_by_hand():
    base = expected_base(check({"entities": 1000, "paragraphs": 5, "dump_bytes": 50_000}))
    assert base == Base(1000, 50_000 + 32_000, 5000, "at most")
    assert (base.views("prefix"), base.views("sentences")) == (1000, 5000)
    assert (base.views_origin("prefix"), base.views_origin("sentences")) == ("projected", "at most")


def test_vectors_and_mentions_by_hand(tmp_path):
    # 5 views of 8 values of 2 bytes, and 3 counts; 4 bytes a value of mentions.
    assert vector_bytes(5, 3, 8, "fp16") == 83
    assert vector_bytes(5, 3, 8, "fp32") == 163
    assert mention_bytes(7, 8) == 224
    write_part(tmp_path, 0, np.zeros((5, 8), np.float16), np.array([1, 3, 1]), "m", "k")
    files = tmp_path.glob("*.npy")
    assert sum(path.stat().st_size - HEADER for path in files) == vector_bytes(5, 3, 8, "fp16")


@pytest.fixture
def dump(tmp_path):
    path = tmp_path / "dump.json"
    pages = [line(n, f"P{n}", *["text"] * (n % 4)) for n in range(1, 41)]
    path.write_bytes(b"".join(pages))
    return path


def test_a_finished_base_is_counted(dump, tmp_path):
    settings = check_settings({"part_bytes": 1000})
    make_missing(dump, tmp_path / "kb", settings)
    finish(dump, tmp_path / "kb", settings)
    base = measured_base(tmp_path / "kb", check({"entities": 7}))
    files = [path for path in (tmp_path / "kb").iterdir() if path.suffix != ".json"]
    arrays = sum(path.suffix == ".npy" for path in files)
    assert arrays == 3 and len(files) > 4
    assert base.kb_bytes == sum(path.stat().st_size for path in files) - arrays * HEADER
    # 10 pages each of 0, 1, 2 and 3 paragraphs; those without any count as one.
    assert (base.entities, base.segments, base.origin) == (40, 70, "measured")
    assert base.views_origin("sentences") == "projected"


def test_some_parts_are_projected(dump, tmp_path):
    make_part(dump, tmp_path / "kb", 0, check_settings({"part_bytes": 1000}))
    base = measured_base(tmp_path / "kb", check({"entities": 4000}))
    size = (tmp_path / "kb" / "part-00000.parquet").stat().st_size
    made = sum(1 for at in range(1, 41) if at <= _pages(dump, 1000))
    segments = sum(max(at % 4, 1) for at in range(1, made + 1))
    assert base.origin == "projected" and base.entities == 4000
    assert base.segments == segments * 4000 // made
    assert base.kb_bytes == size * 4000 // made + 32 * 4000


def _pages(dump, stop):
    """How many lines begin before a byte."""
    starts = np.cumsum([0, *(len(one) for one in dump.read_bytes().splitlines(keepends=True))])
    return int((starts[:-1] < stop).sum())


def test_a_folder_without_parts(tmp_path):
    with pytest.raises(InputError, match="has no parts with entities. `muver kb all` makes them"):
        measured_base(tmp_path, check({}))
