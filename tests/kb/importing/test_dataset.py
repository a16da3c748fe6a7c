"""Links as mentions: a dataset in ZESHEL's format that `muver stage corpus` takes."""

import json
import shutil
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.corpus_settings import BuildCorpus
from muver.retriever.corpus.zeshel import build_corpus

SMALL = Path(__file__).parent / "data" / "smallwiki.xml"


@pytest.fixture
def dataset(tmp_path, imported):
    """Import a wiki with its mentions; gives the lines, the counts and `muver stage corpus`'."""

    def dataset(*sources, **mentions):
        folder = tmp_path / "dataset"
        shutil.rmtree(folder, ignore_errors=True)
        _, counts = imported(*sources, settings={"mentions": mentions}, mentions=folder)
        files = [tmp_path / name for name in ("e.parquet", "m.parquet", "c.json")]
        checked = build_corpus("own", folder, *files, BuildCorpus(context_tokens=128))
        lines = {
            str(path.relative_to(folder)): [json.loads(line) for line in path.open()]
            for path in folder.glob("*/*.json")
        }
        return lines, counts["dataset"], checked

    return dataset


def mentions_in(lines):
    return [one for name, own in lines.items() if name.startswith("mentions/") for one in own]


def test_split_by_page(dataset):
    lines, counts, checked = dataset(SMALL, val=0.3, test=0.3, high_overlap=1)
    assert checked.mentions == counts["mentions"]
    documents = [lines[f"documents/testwiki_{split}.json"] for split in ("train", "val", "test")]
    assert documents[0] == documents[1] == documents[2] and len(documents[0]) == 40
    titles = {one["document_id"]: one["title"] for one in documents[0]}
    found = {
        (titles[one["context_document_id"]], one["text"]): (
            titles[one["label_document_id"]], one["category"],
        )
        for one in mentions_in(lines)
    }  # fmt: skip
    assert found["Harbour Town", "Holt"] == ("Mira Holt", "AMBIGUOUS_SUBSTRING")
    assert found["Harbour Town", "lighthouses"] == ("Lighthouse", "LOW_OVERLAP")
    assert found["Harbour Town", "railway"] == ("Railway (transport)", "MULTIPLE_CATEGORIES")
    assert found["Harbour Town", "Old Bridge"] == ("Old Bridge", "HIGH_OVERLAP")
    assert ("Harbour Town", "old bridge") not in found  # titles differ by capitals further on
    assert found["Harbour Town", "mouth of the river"] == ("Grey River", "LOW_OVERLAP")
    assert found["Москва", "Холмы"] == ("Snow Hills", "LOW_OVERLAP")
    assert found["Mira Holt", "北京"] == ("北京", "HIGH_OVERLAP")
    assert ("Harbour Town", "Mercury") not in found  # a disambiguation page
    by_split = {
        split: {one["context_document_id"] for one in lines[f"mentions/{split}.json"]}
        for split in ("train", "val", "test")
    }
    assert not by_split["train"] & by_split["test"] and not by_split["val"] & by_split["test"]


def test_split_by_world(dataset, tmp_path):
    paths = []
    for name in ("one", "two", "three"):
        path = tmp_path / f"{name}.xml"
        path.write_text(SMALL.read_text().replace("<dbname>testwiki", f"<dbname>{name}"))
        paths.append(path)
    lines, _, checked = dataset(*paths, val=["two"], test=["three"])
    assert {world: one.split for world, one in checked.worlds.items()} == {
        "one": "train", "two": "val", "three": "test",
    }  # fmt: skip
    assert {one["corpus"] for one in lines["mentions/test.json"]} == {"three"}


def test_caps(dataset):
    lines, counts, _ = dataset(SMALL, val=0.3, test=0.3)
    for split in ("train", "val", "test"):
        own = counts["categories"][split]
        assert own.get("HIGH_OVERLAP", 0) <= 0.05 * sum(own.values())
    everything, _, _ = dataset(SMALL, val=0.3, test=0.3, high_overlap=1)
    assert len(mentions_in(everything)) == len(mentions_in(lines)) + counts["mentions_left_out"]
    few, _, _ = dataset(SMALL, val=0.3, test=0.3, high_overlap=1, per_page=1)
    pages = [one["context_document_id"] for one in mentions_in(few)]
    assert len(pages) == len(set(pages))
    once, counts, _ = dataset(SMALL, val=0.3, test=0.3, high_overlap=1, per_target=1)
    targets = [(one["corpus"], one["label_document_id"]) for one in mentions_in(once)]
    assert len(targets) == len(set(targets))
    assert len(mentions_in(everything)) == len(targets) + counts["mentions_left_out"]
    small, counts, _ = dataset(SMALL, val=0.3, test=0.3, per_world=3)
    assert set(counts["mentions"].values()) == {3}
    assert {one["mention_id"] for one in mentions_in(small)} <= {
        one["mention_id"] for one in mentions_in(everything)
    }


def test_the_seed_decides_and_nothing_else(dataset):
    first, again = (dataset(SMALL, val=0.3, test=0.3)[0] for _ in range(2))
    assert first == again
    other = dataset(SMALL, val=0.3, test=0.3, seed=14)[0]
    assert mentions_in(other) != mentions_in(first)


@pytest.mark.parametrize(
    ("mentions", "said"),
    [
        ({"val": ["testwki"], "test": ["testwiki"]}, "no world 'testwki'. Did you mean 'testwiki'"),
        ({"val": ["testwiki"], "test": 0.1}, "both lists of worlds, or both shares"),
        ({"val": 0.5, "test": 0.5}, "val and test leave nothing to train on."),
        ({"val": 0, "test": 0.2}, "--mentions: no link of val"),
    ],
)
def test_mistakes(mentions, said, dataset, tmp_path):
    with pytest.raises(InputError, match=said):
        dataset(SMALL, **mentions)
    assert not (tmp_path / "dataset").exists() and not list((tmp_path / "kb").glob("*"))
