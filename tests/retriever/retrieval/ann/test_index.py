"""Building indices and opening them: agreement, seeds, mistakes."""

import json

import numpy as np
import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.typed import read
from muver.retriever.retrieval.ann.index import AnnIndex, Build, build, factory_string

ALL = 10_000
TYPES = {
    "ivf_sq": {"factory": "ivf_sq", "lists": 8},
    "ivf_sq8": {"factory": "ivf_sq8", "lists": 8},
    "pca_ivf_pq": {"factory": "PCA8,IVF{lists},PQ8x4", "lists": 8},
    "hnsw": {"factory": "hnsw", "ef_construction": 40},
    "hnsw_sq": {"factory": "hnsw_sq", "ef_construction": 40},
    "flat": {"factory": "Flat"},
}


def build_at(folder, made, **settings):
    given = {"factory": "ivf_sq", "seed": 0, "threads": 1, **settings}
    return build(made.shards.folder, folder, read(Build, given))


@pytest.fixture(scope="module")
def indices(tmp_path_factory, made):
    folders = {name: tmp_path_factory.mktemp("index") / name for name in TYPES}
    for name, folder in folders.items():
        build_at(folder, made, **TYPES[name])
    return folders


@pytest.mark.parametrize("name", TYPES)
def test_the_best_products_are_found(indices, made, name):
    """With all lists looked at; quantised ones give nearly the products."""
    index = AnnIndex(indices[name], made.shards)
    index.turn(ALL)
    scores, views = index.search(made.mentions, 10)
    products = made.mentions @ made.vectors.T
    np.testing.assert_array_equal(np.sort(views[0]), np.unique(views[0]))
    own = np.take_along_axis(products, views, axis=1)
    spread = products.std()
    # A code that no view of training was near may be far off; most are not.
    error = np.median(np.abs(scores - own)) if name == "pca_ivf_pq" else np.abs(scores - own).max()
    tolerance = {"pca_ivf_pq": 0.3, "ivf_sq8": 0.1, "hnsw_sq": 0.05}.get(name, 0.01)
    assert error <= tolerance * spread
    best = np.argsort(-products, axis=1)[:, :10]
    same = [len(set(a) & set(b)) / 10 for a, b in zip(views, best, strict=True)]
    assert np.mean(same) >= (0.6 if name == "pca_ivf_pq" else 0.97)


def test_what_the_manifest_says(indices, made):
    manifest = json.loads((indices["ivf_sq"] / "manifest.json").read_text())
    assert manifest["factory"] == "IVF8,SQfp16"
    assert (manifest["knob"], manifest["lists"]) == ("nprobe", 8)
    assert (manifest["views"], manifest["entities"]) == (made.shards.views, 600)
    assert manifest["inputs"] == {"model": "model-a"}
    assert manifest["agreement"] is None
    graph = json.loads((indices["hnsw"] / "manifest.json").read_text())
    assert (graph["knob"], graph["lists"], graph["trained_on"]) == ("efSearch", 0, 0)


def test_the_same_settings_give_the_same_bytes(indices, tmp_path, made):
    build_at(tmp_path, made, **TYPES["ivf_sq"])
    same = (indices["ivf_sq"] / "index.faiss").read_bytes()
    assert (tmp_path / "index.faiss").read_bytes() == same
    build_at(tmp_path, made, **TYPES["ivf_sq"], seed=1)
    assert (tmp_path / "index.faiss").read_bytes() != same


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"factory": "ivf_pq"}, "factory is 'ivf_pq'.*Did you mean"),
        ({"factory": "IVX8,SQ8"}, "'IVX8,SQ8'.* 16 dim"),
        ({"factory": "PQ5"}, "'PQ5'.* 16 dim"),
        ({"factory": "ivf_sq", "lists": 5000}, "5000 lists "),
        ({"lists": 8, "training_views": 4}, "8 lists .* on 4 of "),
        ({"factory": "PQ4", "training_views": 9}, "9 views"),
        ({"memory_mb": 0}, "memory_mb is 0"),
    ],
)
def test_settings_that_cannot_be(tmp_path, made, settings, message):
    with pytest.raises(InputError, match=message):
        build_at(tmp_path / "index", made, **settings)
    assert not (tmp_path / "index").exists()


def test_lists_by_the_number_of_views():
    settings = Build(factory="ivf_sq", seed=0, threads=1)
    assert factory_string(settings, 29_517_650) == "IVF16384,SQfp16"
    assert factory_string(settings, 100) == "IVF2,SQfp16"
    assert factory_string(settings, 1) == "IVF1,SQfp16"
    assert factory_string(replace(settings, lists=3, factory="IVF{lists},Flat"), 9) == "IVF3,Flat"


def test_an_index_that_is_not_whole(tmp_path, made, monkeypatch):
    with pytest.raises(InputError, match="manifest.json: no such file"):
        AnnIndex(tmp_path, made.shards)
    build_at(tmp_path, made, factory="Flat")
    whole = (tmp_path / "index.faiss").read_bytes()
    monkeypatch.setattr("faiss.read_index", None)  # faiss is not given such bytes
    (tmp_path / "index.faiss").write_bytes(whole[:-10])
    with pytest.raises(InputError, match="index.faiss"):
        AnnIndex(tmp_path, made.shards)
    (tmp_path / "index.faiss").write_bytes(b"X" * len(whole))
    with pytest.raises(InputError, match="index.faiss"):
        AnnIndex(tmp_path, made.shards)
    (tmp_path / "index.faiss").write_bytes(whole)
    centre = tmp_path / "centre.npy"
    centre.write_bytes(centre.read_bytes()[:-1] + b"X")
    with pytest.raises(InputError, match="centre.npy: missing or damaged"):
        AnnIndex(tmp_path, made.shards)
    (tmp_path / "manifest.json").write_text('{"stage": "encode"}')
    with pytest.raises(InputError, match="manifest"):
        AnnIndex(tmp_path, made.shards)


def test_a_failed_build_leaves_no_index(tmp_path, made, monkeypatch):
    build_at(tmp_path, made, factory="Flat")
    monkeypatch.setattr("faiss.write_index", _no_room)
    with pytest.raises(InputError, match="index.faiss.*no room"):
        build_at(tmp_path, made, factory="Flat")
    with pytest.raises(InputError, match="manifest.json: no such file"):
        AnnIndex(tmp_path, made.shards)


def _no_room(index, path):
    with open(path, "wb") as file:
        file.write(b"half")
    raise RuntimeError("no room")
