"""The three commands of the data side, one after the other, as a workflow calls them."""

import pytest

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.sources import find_source
from tests.commands import call

TABLES = ["--entities", "entities.parquet", "--counts", "counts.json"]


@pytest.mark.parametrize(("what", "name"), [("dataset", "miniwikia"), ("files", "miniwikipedia")])
def test_shipped_data_need_no_network(what, name, tmp_path):
    call("download", f"--{what}", name, "--out", tmp_path / "raw")
    published = find_source(name).published
    for world in published.worlds:
        assert (tmp_path / f"raw/documents/{world}.json").stat().st_size
    for one, count in published.mentions.items():
        file = f"mentions/{one}.json" if what == "dataset" else f"{one}.jsonl"
        assert (tmp_path / "raw" / file).read_bytes().count(b"\n") == count


def test_from_an_address_to_sentences(zeshel, site, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    site.body = zeshel
    call("download", "--dataset", "zeshel", "--out", "build/raw", "--url", site.address)
    assert (tmp_path / "build" / "download" / "zeshel.tar.bz2").exists()
    corpus_options = ["--name", "zeshel", "--raw", "build/raw", "--mentions", "m.parquet", *TABLES]
    with pytest.raises(InputError, match=r"starwars entities 3 \(published 87056\)"):
        call("corpus", *corpus_options, "--settings", '{"context_tokens": 2, "expected": "zeshel"}')
    assert not (tmp_path / "counts.json").exists()
    call("corpus", *corpus_options, "--settings", '{"context_tokens": 2}')
    assert read_json("counts.json")["entities"] == {"train": 24, "val": 12, "test": 12}
    call("segment", *TABLES, "--out", "segment", "--settings", '{"punkt": "train"}')
    sentences = read_json("segment/manifest.json")["sentences"]
    assert len(sentences) == 16 and set(sentences.values()) == {3}
