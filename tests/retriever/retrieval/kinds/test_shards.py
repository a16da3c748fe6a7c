"""Runs by the commands: titles from the knowledge base, what scoring makes of them, refusals."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muver.cli import main
from muver.io.files import read_json, write_json
from muver.retriever.corpus.knowledge_base import SCHEMA
from muver.retriever.corpus.schema import MENTIONS
from muver.retriever.retrieval.aggregates import LogMeanExp
from muver.retriever.retrieval.exact import rank
from muver.retriever.runs.gold import gold_ranks
from muver.retriever.runs.run import read_run
from muver.retriever.vectors.shards import ViewBlock
from tests.retriever.vectors.made import owners, write_mentions

SIZES = [250, 1, 349]
SEARCH = {
    "split": "aida", "match": "id", "k": 10, "rescore": True, "most_views": 16384, "effort": None,
    "minimum": 0.995, "threads": 1, "memory_mb": 1024, "gpu": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def data(made, tmp_path_factory):
    """A knowledge base of the shards' entities, a set of mentions, two indices, one checked."""
    folder = tmp_path_factory.mktemp("runs")
    kb = folder / "kb"
    kb.mkdir()
    titles = [f"Title {number}" for number in range(600)]
    parts, first = [], 0
    for number, size in enumerate(SIZES):
        own = titles[first : first + size]
        rows = {"id": own, "title": own, "paragraphs": [[] for _ in own]}
        name = f"part-{number:05d}.parquet"
        pq.write_table(pa.table({n: rows[n] for n in SCHEMA.names}, SCHEMA), kb / name)
        part = {"file": name, "first": first, "entities": size, "fingerprint": f"kb-{number}"}
        parts.append(part)
        first += size
    write_json(kb / "manifest.json", {"entities": 600, "fingerprint": "kb", "parts": parts})
    np.save(kb / "ids.npy", np.arange(600))
    np.save(kb / "by_id.npy", np.arange(600))
    np.save(kb / "by_title.npy", np.zeros((2, 600), np.uint64))
    ids = [f"m{number}" for number in range(60)]
    text = [""] * 60
    table = pa.table(
        [ids, ["aida"] * 60, ["wikipedia"] * 60, text, text, text, text, list(range(60)), text],
        MENTIONS,
    )
    pq.write_table(table, folder / "mentions.parquet")
    write_mentions(folder / "vectors.npy", made.mentions)
    vectors = ["--vectors", str(made.folder)]
    built = '{"factory": "ivf_sq", "lists": 16, "seed": 0, "threads": 1}'
    build = ["stage", "ann-build", *vectors, "--settings", built]
    for name in ("index", "unchecked"):
        assert main([*build, "--out", str(folder / name)]) == 0
    checking = (
        '{"k": 10, "efforts": [1, 16], "agreement": 1, "rescore": true, "most_views": 16384, '
        '"memory_mb": 1024, "seed": 0, "threads": 1}'
    )
    queries = ["--mention-vectors", str(folder / "vectors.npy")]
    report = ["--report", str(folder / "report.json")]
    index = ["--index", str(folder / "index")]
    check = ["stage", "ann-check", *vectors, *index, *queries, *report]
    assert main([*check, "--settings", checking]) == 0
    return folder, table, titles


def run_search(made, data, out, settings=(), **paths):
    folder = data[0]
    given = {
        "vectors": made.folder,
        "kb": folder / "kb",
        "mentions": folder / "mentions.parquet",
        "mention-vectors": folder / "vectors.npy",
        "index": folder / "index",
        "run": out / "run.parquet",
        "manifest": out / "run.json",
    }
    given.update({name.replace("_", "-"): path for name, path in paths.items()})
    arguments = [f"--{name}={path}" for name, path in given.items() if path is not None]
    asked = json.dumps({**SEARCH, **dict(settings)})
    return main(["stage", "retrieve", "--kind", "shards", *arguments, "--settings", asked])


def test_an_aggregate_of_an_entity_s_own_views(made, data, tmp_path):
    asked = {"aggregate": "log_mean_exp", "temperature": 0.5}
    assert run_search(made, data, tmp_path, asked, index=None) == 0
    own = ViewBlock.of([made.vectors], owners(made.counts), np.arange(600))
    expected = rank(made.mentions, [own], 10, LogMeanExp(temperature=0.5))
    run = read_run(tmp_path / "run.parquet")
    assert np.array_equal(run["entity"].to_numpy(), expected.entities.ravel())
    assert read_json(tmp_path / "run.json")["settings"]["temperature"] == 0.5


@pytest.mark.parametrize("name", ["index", None])
def test_a_run_is_scored_as_any_other(made, data, tmp_path, name):
    folder, table, titles = data
    assert run_search(made, data, tmp_path, index=name and folder / name) == 0
    run = read_run(tmp_path / "run.parquet", table["mention_id"].to_pylist())
    assert set(run["world"].to_pylist()) == {"wikipedia"}
    own = owners(made.counts)
    expected = rank(made.mentions, [ViewBlock.of([made.vectors], own, np.arange(600))], 10)
    assert np.array_equal(run["entity"].to_numpy(), expected.entities.ravel())
    assert run["title"].to_pylist() == [titles[entity] for entity in expected.entities.ravel()]
    np.testing.assert_allclose(run["score"].to_numpy(), expected.scores.ravel(), rtol=1e-5)
    starts = np.cumsum(made.counts) - made.counts
    places = (expected.rows - starts[expected.entities]).ravel()
    assert np.array_equal(run["first"].to_numpy(), places)
    assert np.array_equal(run["last"].to_numpy(), places)
    assert set(run["layer"].to_pylist()) == {0} and places.max() > 0
    ranks = gold_ranks(run, table, {"wikipedia": titles}, "id")
    for row in range(60):
        found = np.flatnonzero(expected.entities[row] == row)
        assert ranks[row] == (found[0] + 1 if len(found) else 0)


def test_what_the_manifests_say(made, data, tmp_path):
    folder = data[0]
    assert run_search(made, data, tmp_path) == 0
    manifest = json.loads((tmp_path / "run.json").read_text())
    assert manifest["counts"] == {"entities": 600, "views": made.shards.views}
    assert manifest["index"] == "IVF16,SQfp16"
    assert manifest["settings"] == {**SEARCH, "aggregate": "max"}
    agreed = json.loads((folder / "index" / "manifest.json").read_text())["agreement"]
    assert manifest["agreement"] == agreed and agreed["recall"] == 1
    assert json.loads((folder / "report.json").read_text()) == {str(folder / "index"): agreed}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 11}, "with k 11"),
        ({"rescore": False}, "other values of rescore"),
        ({"effort": 1}, "other values of effort"),
        ({"match": "title"}, "match is 'title'"),
        ({"minimum": 2}, "minimum is 2: expected"),
        ({"aggregate": "softmax_sum"}, "aggregate is 'softmax_sum'. Allowed: max, log_mean_exp"),
        ({"aggregate": "log_mean_exp", "temperature": [1, 2]}, "temperature has several values"),
        ({"temperature": 1}, "the aggregate max takes no temperature"),
        ({"aggregate": "log_mean_exp", "rescore": False}, "Set rescore to true"),
    ],
)
def test_settings_that_do_not_fit(made, data, tmp_path, capsys, settings, message):
    assert run_search(made, data, tmp_path, settings) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_an_index_without_agreement_is_no_table_s_source(made, data, tmp_path, capsys):
    unchecked = data[0] / "unchecked"
    assert run_search(made, data, tmp_path, index=unchecked) == 2
    assert "was not measured" in capsys.readouterr().err
    free = {"minimum": None, "effort": 16}
    assert run_search(made, data, tmp_path, free, index=unchecked) == 0
    assert json.loads((tmp_path / "run.json").read_text())["agreement"] is None


def test_data_that_do_not_fit(made, data, tmp_path, capsys):
    write_mentions(tmp_path / "wide.npy", np.zeros((60, 17), np.float32))
    write_mentions(tmp_path / "other.npy", made.mentions, "model-b")
    for name in ("wide", "other", "none"):
        out = tmp_path / name
        assert run_search(made, data, out, mention_vectors=tmp_path / f"{name}.npy") == 2
        assert f"{name}." in capsys.readouterr().err
        assert not out.exists()
