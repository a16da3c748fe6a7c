"""Mentions matched to a base: what is found how, counted and listed."""

import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import read
from muver.reproduction.settings.file import home, read_params
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.workspace import graph_of
from muver.retriever.corpus.corpus_settings import Link
from muver.retriever.corpus.linking.build import link_set
from muver.retriever.corpus.schema import LINKED_MENTIONS
from tests.retriever.corpus.linking.conftest import mention, write

PLAIN = Link(context_tokens=128, match="id")
MENTIONS = [
    mention("By id", Wikipedia_ID="10", Wikipedia_title="Paris", query_id="a"),
    mention("NYC", Wikipedia_ID="999", Wikipedia_title="new_York_City", query_id="b"),
    mention("No id", Wikipedia_title="Paris, Texas", query_id="c"),
    mention("Outside", Wikipedia_ID="998", Wikipedia_title="Atlantis", query_id="d"),
    mention("Renamed", Wikipedia_ID="40", Wikipedia_title="Roma", query_id="e"),
    mention("Nothing known", query_id="f"),
    mention("Id wins", label_id=40, label_title="Paris", query_id="g"),
]


def link(tmp_path, kb, lines=MENTIONS, name="msnbc", match="id_or_title", **settings):
    settings_of_set = Link(**{"context_tokens": 128, "match": match, **settings})
    file = write(tmp_path / "file.jsonl", lines)
    link_set(name, file, kb, tmp_path / "m.parquet", tmp_path / "m.json", settings_of_set)
    return read_json(tmp_path / "m.json")


def test_counts_by_kind_and_what_is_not_plain(tmp_path, kb):
    report = link(tmp_path, kb)
    assert report["mentions"] == 7 and report["in_kb"] == 5
    assert report["matched"] == {"id": 3, "title": 2, "none": 2}
    assert report["other_title"] == 2 and report["set"] == "msnbc"
    assert report["inputs"]["kb"] == read_json(kb / "manifest.json")["fingerprint"]
    assert link(tmp_path, kb, match="id")["matched"] == {"id": 3, "title": 0, "none": 4}
    table = pq.read_table(tmp_path / "m.parquet")
    assert table["gold"].to_pylist() == [1, None, None, None, 3, None, 3]


def test_the_table(tmp_path, kb):
    link(tmp_path, kb, context_tokens=2)
    table = pq.read_table(tmp_path / "m.parquet")
    assert table.schema.equals(LINKED_MENTIONS)
    assert table["gold"].to_pylist() == [1, 0, 2, None, 3, None, 3]
    assert table["matched"].to_pylist() == ["id", "title", "title", "none", "id", "none", "id"]
    assert table.slice(1, 1).to_pylist() == [
        {
            "mention_id": "b",
            "split": "msnbc",
            "world": "wikipedia",
            "document": None,
            "context_left": "of nyc",
            "mention": "nyc",
            "context_right": "right .",
            "gold": 0,
            "category": "",
            "matched": "title",
        }
    ]


def test_so_many_words_of_context(tmp_path, kb):
    one = {**MENTIONS[0], "context_left": "A B  C\tD", "context_right": "E F G"}
    for tokens, left, right in ((0, "", ""), (1, "d", "e"), (9, "a b c d", "e f g")):
        link(tmp_path, kb, [one], context_tokens=tokens)
        row = pq.read_table(tmp_path / "m.parquet").to_pylist()[0]
        assert (row["context_left"], row["context_right"]) == (left, right)


def test_the_published_counts_are_checked_where_asked(tmp_path, kb):
    with pytest.raises(
        InputError, match="file.jsonl: .* blink_benchmarks: msnbc mentions 7 .published 656"
    ):
        link(tmp_path, kb, expected="blink_benchmarks")
    with pytest.raises(InputError, match="mine mentions 7 .published None"):
        link(tmp_path, kb, name="mine", expected="blink_benchmarks")
    assert not (tmp_path / "m.parquet").exists()
    lines = [{**MENTIONS[0], "query_id": number} for number in range(656)]
    assert link(tmp_path, kb, lines, expected="blink_benchmarks")["in_kb"] == 656


def test_the_wrong_base_is_noticed(tmp_path, kb):
    with pytest.raises(InputError, match="of 2 mentions none has its gold entity"):
        link(tmp_path, kb, [MENTIONS[3], MENTIONS[5]])
    assert not (tmp_path / "m.parquet").exists()


WIKI = "http://en.wikipedia.org/wiki"
CONLL = f"""-DOCSTART- (Bus1.txt
In
Paris\tB\tParis\tParis\t{WIKI}/Paris\t10\t000
and
Atlantis\tB\tAtlantis\tAtlantis\t{WIKI}/Atlantis\t000\t000
.
Nobody\tB\tNobody\t--NME--
"""


@pytest.mark.parametrize(
    "file, text, archive, message",
    [
        ("m.txt", "", None, "m.txt: .*format"),
        ("m.jsonl", "", None, "m.jsonl: .*no mentions"),
        ("m.tsv", "-DOCSTART- (1 EU)\n", None, "m.tsv: .*no mentions"),
        ("none.tsv", None, None, "none.tsv: no such file.*licence"),
        ("x.conll", None, "raw", "x.conll"),  # the archive does not hold it
    ],
)
def test_files_that_are_no_benchmark(tmp_path, kb, file, text, archive, message):
    path, name = tmp_path / file, "msnbc" if archive else "aida-testa"
    if text is not None:
        path.write_text(text)
    if archive:
        path, archive = file, tmp_path / archive
        (archive / "msnbc").mkdir(parents=True)
    with pytest.raises(InputError, match=message):
        link_set(name, path, kb, tmp_path / "m", tmp_path / "r", PLAIN, archive)


def test_a_set_of_ones_own_takes_params_yaml_alone(tmp_path, kb):
    """Another name, a format that the file's ending does not tell, and no published number."""
    params = read_params(home() / "params.yaml")
    sets = {"ace2004": {"file": str(tmp_path / "ace.txt"), "format": "conll"}}
    over = {"preset": "wikipedia", "linking": {"sets": sets, "test": [*sets]}}
    graph = graph_of(resolve(params, over))
    (tmp_path / "ace.txt").write_text(CONLL)
    linked = graph.mentions("ace2004").settings
    assert linked["expected"] is None
    assert graph.mentions("msnbc").settings["expected"] == "blink_benchmarks"
    assert graph.mentions("aida-testb").settings["part"] == "testb"
    out = tmp_path / "m.parquet", tmp_path / "m.json"
    link_set("ace2004", tmp_path / "ace.txt", kb, *out, read(Link, linked))
    assert read_json(out[1])["in_kb"] == 1
