"""Where the files of a knowledge base and its sets lie."""

import json

from muver.workspace import LinkedWorkspace

W = LinkedWorkspace({"workspace": "wikipedia"})


def test_files_are_told_apart_by_model_set_and_part():
    assert W.dump == "build/wikipedia/raw/kilt_knowledgesource.json"
    assert W.vector_files("muver_wiki", "part-00007")[0].endswith("muver_wiki/part-00007.npy")
    files = [
        *W.kb_files, W.set_file("msnbc"), *W.mentions_files("msnbc"), *W.subset_files("golds"),
        *W.negatives_files("muver_wiki"), *W.mention_vectors("muver_wiki", "msnbc"),
        *W.vector_files("muver_wiki", "part-00000"), *W.index_files("muver_wiki", "hnsw"),
        W.check_file("muver_wiki", "hnsw"), *W.run_files("muver_wiki", "msnbc"),
        *W.evaluation_files("muver_wiki", "msnbc"), *W.trec_files("muver_wiki", "msnbc"),
    ]  # fmt: skip
    assert len(set(files)) == len(files)


def test_parts_are_those_of_the_finished_base(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / W.kb
    folder.mkdir(parents=True)
    parts = [{"file": f"part-0000{n}.parquet"} for n in range(3)]
    (folder / "manifest.json").write_text(json.dumps({"parts": parts}))
    assert W.parts() == ["part-00000", "part-00001", "part-00002"]
