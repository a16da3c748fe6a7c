"""Which rows are not in full precision."""

import pytest

from muver.reproduction.settings.file import home, read_params
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import row_settings
from muver.retriever.evaluation.records import in_words, reduced_precision

PARAMS = read_params(home() / "params.yaml")
BOTH = {"training": "bf16", "encoding": "bf16"}


@pytest.mark.parametrize(
    "system, encoding, training, expected",
    [
        ("muver", "bf16", "bf16", BOTH),
        ("muver", "bf16", "fp32", {"encoding": "bf16"}),
        ("muver", "fp32", "bf16", {"training": "bf16"}),
        ("muver", "fp32", "fp32", {}),
        ("som", "bf16", "bf16", BOTH),
        ("bm25", "bf16", "bf16", {}),
        ("partalidou", "fp32", "bf16", {"training": "bf16"}),  # chosen among several models
        ("released", "bf16", "bf16", {"encoding": "bf16"}),  # not trained here
        ("muver_bm25", "bf16", "bf16", BOTH),  # fused of one with a model and one without
        ("muver_bm25", "fp32", "fp32", {}),
    ],
)
def test_of_rows_as_the_workflow_has_them(system, encoding, training, expected):
    compute = {"precision": encoding, "training_precision": training}
    preset = "released" if system == "released" else "miniwikia"
    settings = resolve(PARAMS, {"preset": preset, "compute": compute})
    found = reduced_precision(row_settings(settings, system))
    assert found == expected
    assert list(found) == list(expected)


@pytest.mark.parametrize(
    "dtype, factory, rescore, expected",
    [
        ("fp16", None, True, {"storage": "fp16"}),
        ("fp32", None, True, {}),
        ("fp16", "ivf_sq", True, {"storage": "fp16"}),  # its scores are the stored vectors'
        ("fp32", "ivf_sq", False, {"scores": "of ivf_sq"}),
        ("fp16", "opq_ivf_pq", False, {"storage": "fp16", "scores": "of opq_ivf_pq"}),
        ("fp32", "HNSW32,SQfp16", False, {"scores": "of HNSW32,SQfp16"}),
        ("fp32", "hnsw", False, {}),  # keeps whole vectors
        ("fp32", "IVF4,Flat", False, {}),
    ],
)
def test_of_rows_over_a_knowledge_base(dtype, factory, rescore, expected):
    changes = {
        "linking": {
            "dtype": dtype,
            "indexes": {"own": {"factory": factory or "hnsw"}},
            "search": {"rescore": rescore},
        },
        "systems": {"muver_wiki": {"index": factory and "own"}},
    }
    settings = resolve(PARAMS, {"preset": "wikipedia", **changes})
    found = reduced_precision(row_settings(settings, "muver_wiki"))
    assert found == expected and list(found) == list(expected)


def test_settings_that_say_nothing_of_it():
    assert reduced_precision({"system": "s", "seed": 1}) == {}


def test_in_words():
    assert in_words(BOTH) == "training bf16, encoding bf16"
    assert in_words({"storage": "fp16", "scores": "of ivf_sq"}) == "storage fp16, scores of ivf_sq"
    assert in_words({}) == ""
