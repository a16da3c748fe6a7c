"""What indexes load."""

from muver.kb.index.index import Index


def test_indexes_of_one_model_share_it(tmp_path, model, entities):
    one, two = (Index.create(tmp_path / name, entities[:2], model) for name in ("one", "two"))
    assert Index.open(one.folder)._store.machinery.model is two._store.machinery.model
