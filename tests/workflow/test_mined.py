"""Hard negatives on worlds: from the run of a model and from words, to models trained with them."""

import csv
import io
import json

import pyarrow.parquet as pq

from tests.workflow.conftest import BUILT

ROWS = ["bm25", "blink_mined", "muver_mined"]


def test_models_train_with_the_negatives_of_another_row_s_run(main_job, tmp_path):
    words = {"from": "bm25", "count": 3, "ranks": [1, 8], "random": 0.34}
    project = main_job.copy(tmp_path / "copy")
    project.change(
        results=["mined"],
        tracking={"enabled": False},
        models={"blink_mined": {"negatives": words}},
        tables={"mined": {"caption": "Mined", "rows": ROWS, "against": "bm25"}},
    )
    project.snakemake("results/mined.csv")
    lines = list(csv.DictReader(io.StringIO(project.read("results/mined.csv").decode())))
    assert len(lines) == len(ROWS)
    mentions = pq.read_table(project.folder / BUILT / "corpus/mentions.parquet").to_pylist()
    golds = {one["mention_id"]: one["gold"] for one in mentions if one["split"] == "train"}
    for model, count in (("blink_mined", 3), ("muver_mined", 2)):
        found = pq.read_table(project.folder / BUILT / f"negatives/{model}.parquet").to_pylist()
        assert {one["mention_id"] for one in found} == golds.keys()
        assert all(len(one["negatives"]) == count for one in found)
        assert all(golds[one["mention_id"]] not in one["negatives"] for one in found)
        made = json.loads(project.read(f"{BUILT}/models/{model}/muver.json"))
        assert made["provenance"]["negatives"]["per_mention"] == count
