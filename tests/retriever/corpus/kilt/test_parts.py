"""Parts: read, cut off and gone on with, refused above the limit, the same in parallel."""

import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.kilt import make
from muver.retriever.corpus.kilt.make import make_missing, make_part, read_part
from muver.retriever.corpus.kilt.parts import SCHEMA, fitting_manifest, plan_parts
from tests.retriever.corpus.kilt.conftest import PAGES, contents, line, reading


def ids(folder):
    return [
        identity
        for path in sorted(folder.glob("part-*.parquet"))
        for identity in pq.read_table(path)["id"].to_pylist()
    ]


ALL = [str(10 * n + 5) for n in range(40)]


def test_parts_have_all_pages_in_order(dump, tmp_path, small_parts):
    kb = tmp_path / "kb"
    assert make_missing(dump, kb, small_parts) == len(plan_parts(dump, 600)) > 5
    assert ids(kb) == ALL
    first = pq.read_table(kb / "part-00000.parquet")
    assert first.schema.equals(SCHEMA)
    assert first.slice(1, 1).to_pylist() == [
        {"id": "15", "title": "Page 1", "paragraphs": ["First of 1.", "Second of 1, ü."]}
    ]
    manifest = read_json(kb / "part-00000.json")
    assert manifest["range"] == [0, 600]
    assert manifest["lines"] == manifest["entities"] == first.num_rows
    assert manifest["bad"] == {"count": 0, "first": []} and manifest["unfinished"] is None


def test_parallel_gives_the_serial_bytes(dump, tmp_path, small_parts):
    make_missing(dump, tmp_path / "one", small_parts)
    make_missing(dump, tmp_path / "two", small_parts, workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    for number in range(len(plan_parts(dump, 600))):
        make_part(dump, tmp_path / "three", number, small_parts)
    assert contents(tmp_path / "one") == contents(tmp_path / "three")


def test_what_fits_is_kept(dump, tmp_path, small_parts):
    kb = tmp_path / "kb"
    parts = make_missing(dump, kb, small_parts)
    assert make_missing(dump, kb, small_parts) == 0
    (kb / "part-00001.json").unlink()
    (kb / "part-00003.parquet").write_bytes(b"PAR1")
    assert make_missing(dump, kb, small_parts) == 2
    assert make_missing(dump, kb, replace(small_parts, bad_lines=7)) == 0
    assert make_missing(dump, kb, replace(small_parts, paragraphs=1)) == parts
    assert pq.read_table(kb / "part-00000.parquet")["paragraphs"][0].as_py() == ["First of 0."]


def test_a_dump_that_was_cut_off_goes_on_when_it_has_grown(dump, tmp_path, small_parts):
    kb, whole = tmp_path / "kb", dump.read_bytes()
    dump.write_bytes(whole[:1550])  # within a line of the third part
    assert make_missing(dump, kb, small_parts) == 3
    cut = read_json(kb / "part-00002.json")
    begun = whole.rfind(b"\n", 0, 1550) + 1
    assert cut["unfinished"] == {"offset": begun, "bytes": 1550 - begun}
    assert cut["bad"]["count"] == 0
    assert ids(kb) == ALL[: whole[:begun].count(b"\n")]
    assert make_missing(dump, kb, small_parts) == 0
    dump.write_bytes(whole)
    all_parts = len(plan_parts(dump, 600))
    assert make_missing(dump, kb, small_parts) == all_parts - 2
    assert ids(kb) == ALL


def test_a_line_that_was_cut_at_a_parts_end_is_read_again(dump, tmp_path, small_parts):
    """The part's range stays, but its last line goes on in the next part."""
    kb, whole = tmp_path / "kb", dump.read_bytes()
    assert whole[599:600] != b"\n"
    dump.write_bytes(whole[:600])
    assert make_missing(dump, kb, small_parts) == 1
    assert read_json(kb / "part-00000.json")["unfinished"]
    dump.write_bytes(whole)
    make_missing(dump, kb, small_parts)
    assert ids(kb) == ALL


def test_a_last_line_without_its_end_counts_if_it_is_whole(dump, tmp_path, small_parts):
    dump.write_bytes(dump.read_bytes()[:-1])
    make_missing(dump, tmp_path / "kb", small_parts)
    assert ids(tmp_path / "kb") == ALL


def test_parts_of_a_longer_dump_are_removed(dump, tmp_path, small_parts):
    make_missing(dump, tmp_path / "kb", small_parts)
    dump.write_bytes(b"".join(PAGES[:5]))
    make_missing(dump, tmp_path / "kb", small_parts)
    assert ids(tmp_path / "kb") == ALL[:5]


def test_another_dump_of_the_same_size_does_not_fit(dump, tmp_path, small_parts):
    parts = make_missing(dump, tmp_path / "kb", small_parts)
    dump.write_bytes(dump.read_bytes().replace(b"First", b"Prime"))
    assert make_missing(dump, tmp_path / "kb", small_parts) == parts


BAD = b'{"wikipedia_id": "x7", "wikipedia_title": "X", "text": []}\n'


def test_bad_lines_are_counted_and_the_first_ones_shown(dump, tmp_path):
    dump.write_bytes(b"".join([*PAGES[:3], b"{\n", *PAGES[3:], BAD]))
    settings = reading(bad_lines=2)
    counts = make_part(dump, tmp_path / "kb", 0, settings)
    assert counts["lines"] == 42 and counts["entities"] == 40
    assert counts["bad"]["count"] == 2
    first, second = counts["bad"]["first"]
    assert first["offset"] == sum(map(len, PAGES[:3])) and "not valid JSON" in first["reason"]
    assert second["reason"] == "wikipedia_id 'x7' is not a number of at most 18 digits"
    assert ids(tmp_path / "kb") == ALL


@pytest.mark.parametrize("workers", [1, 2])
def test_above_the_limit_nothing_is_written_of_the_part(dump, tmp_path, workers):
    dump.write_bytes(b"".join([*PAGES[:30], BAD, BAD, *PAGES[30:]]))
    settings = reading(bad_lines=1, part_bytes=3000)
    with pytest.raises(InputError, match="2 of the first .*at byte .*x7"):
        make_missing(dump, tmp_path / "kb", settings, workers)
    left = {path.stem for path in (tmp_path / "kb").iterdir()}
    assert "part-00001" not in left and "part-00000" in left


def test_the_limit_is_a_share_of_many_lines(dump, tmp_path):
    dump.write_bytes(b"".join([*PAGES, BAD]))
    with pytest.raises(InputError):
        make_part(dump, tmp_path / "kb", 0, reading(bad_lines=0, bad_share=0.02))
    counts = make_part(dump, tmp_path / "kb", 0, reading(bad_lines=0, bad_share=0.025))
    assert counts["bad"]["count"] == 1


def test_a_line_too_long_is_a_bad_line(dump, tmp_path):
    long = line(7, "Long", "x" * 5000)
    dump.write_bytes(b"".join([*PAGES[:20], long, *PAGES[20:]]))
    settings = reading(line_bytes=1000, part_bytes=600)
    make_missing(dump, tmp_path / "kb", settings)
    assert ids(tmp_path / "kb") == ALL
    bad = [read_json(path)["bad"] for path in (tmp_path / "kb").glob("part-*.json")]
    assert [one["first"] for one in bad if one["count"]] == [
        [{"offset": sum(map(len, PAGES[:20])), "reason": "longer than 1000 bytes"}]
    ]


def test_a_process_that_is_ended_leaves_what_was_made(dump, tmp_path, small_parts, monkeypatch):
    made = []

    def stop_after_two(dump, part, folder, settings):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(part)
        return read_part(dump, part, folder, settings)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(make, "read_part", stop_after_two)
        make_missing(dump, tmp_path / "kb", small_parts)
    parts = plan_parts(dump, 600)
    assert make_missing(dump, tmp_path / "kb", small_parts) == len(parts) - 2
    for part in parts:
        assert fitting_manifest(dump, tmp_path / "kb", part, small_parts)


def test_wrong_arguments(dump, tmp_path, small_parts):
    with pytest.raises(InputError, match="--part 99"):
        make_part(dump, tmp_path / "kb", 99, small_parts)
    with pytest.raises(InputError, match="--workers 0"):
        make_missing(dump, tmp_path / "kb", small_parts, 0)
    with pytest.raises(InputError, match="none.json.*download --files kilt"):
        plan_parts(tmp_path / "none.json", 10)
    dump.write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        plan_parts(dump, 10)
