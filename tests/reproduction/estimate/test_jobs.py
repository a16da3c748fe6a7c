"""The jobs of a run: which there are, what they take, what of them is done and how long it took."""

import json
from pathlib import Path

import pytest

from muver.reproduction.estimate.jobs import START, Job, expected, list_jobs, seconds_of
from muver.reproduction.estimate.machine import Rates
from muver.reproduction.workspace import Artifact
from muver.reproduction.workspace.knowledge_base import PART
from muver.retriever.corpus.sources import find_source
from tests.reproduction.settings import graph

RATES = Rates(10, 1)


@pytest.fixture
def worlds():
    return graph(results=["table6", "grid"])


def touch(files, text=""):
    for file in map(Path, files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def jobs_of(own, gpu=False):
    return {(job.of.rule, job.of.name): job for job in list_jobs(own, gpu).jobs}


def made(rule, name, took=(), **work):
    return Job(Artifact("build", "models", name, rule, []), **work, took=took)


def test_jobs_of_worlds(worlds):
    found = jobs_of(worlds)
    points = [job for (rule, _), job in found.items() if rule == "grid_point"]
    assert len(points) == 20 and {job.disk for job in points} == {0}
    assert {name for rule, name in found if rule == "train"} == {"blink_128", "muver"}
    plain, merged = (jobs_of(graph())["retrieve", f"test/muver{end}"] for end in ("_plain", ""))
    # merged views: four layers of 0.4 of the original ones
    assert merged.encoded == pytest.approx(plain.encoded * (1 + 4 * 0.4))
    trained = found["train", "muver"]
    each = 32 + 10 * 40  # a context, and ten views of 40 tokens
    epochs = worlds.model("muver").settings["training"]["epochs"]
    assert trained.trained == find_source("miniwikia").published.mentions["train"] * epochs * each
    assert not found["corpus", ""].encoded
    scratch = jobs_of(graph(encoder="scratch", pretrain={"steps": 5}))
    assert scratch["pretrain", ""].trained


def test_a_view_of_the_whole_description_is_counted():
    plain, more = (
        jobs_of(graph(models={"muver": {"training": {"global_view": tokens}}}))["train", "muver"]
        for tokens in (8, 128)
    )
    assert more.trained / plain.trained == (32 + 10 * 40 + 128) / (32 + 10 * 40 + 8)


def test_models_of_which_one_is_chosen_early():
    """Each of the four takes a quarter of the steps, and one the other three quarters."""
    found = jobs_of(graph(tables={"table1": ["blink_128", "partalidou"]}))
    alone, several = (
        found[rule] for rule in (("train", "blink_128"), ("train_best", "partalidou"))
    )
    assert several.trained == alone.trained * 1.75 and several.batch == alone.batch
    assert several.of.name == "partalidou"


def test_jobs_of_a_knowledge_base():
    own = graph(preset="wikipedia", systems={"muver_wiki": {"index": "ivf_sq"}})
    found = jobs_of(own)
    vectors, entities = found["encode_part", "muver_wiki"], 5_903_530
    # 5 views of 1024 numbers of 16 bits
    assert (vectors.count, vectors.disk * 279) == (279, pytest.approx(entities * 5 * 2048))
    assert vectors.encoded * 279 == pytest.approx(entities * 5 * 40)
    assert found["encode_part", "blink_wiki"].disk * 279 == pytest.approx(entities * 2048)
    assert [name for rule, name in found if rule == "train"] == ["muver_wiki"]
    assert found["train", "muver_wiki"].trained == 18_448 * (128 + 4 * 5 * 40)
    exact, approximate = (
        found["retrieve", f"msnbc/{name}_wiki"].encoded for name in ("blink", "muver")
    )
    assert exact > approximate == 0
    assert found["ann_index", "muver_wiki/ivf_sq"].disk > entities * 5 * 2048


def test_data_that_nobody_counted():
    touch(["data/documents/world.json"])
    found = list_jobs(graph(dataset="data"), gpu=False)
    assert found.jobs == [] and found.counts is None
    assert seconds_of(graph(dataset="data")) == {}


def test_what_is_done_is_measured(worlds):
    before, model = jobs_of(worlds)["train", "muver"], worlds.model("muver")
    benchmark = f"logs/miniwikia/train/{model.id}.benchmark.tsv"
    touch(model.files, "text")
    touch([benchmark], "s\tmax_rss\n71.27\t512\n")
    half = worlds.model("blink_128")
    touch([half.files[0], f"logs/miniwikia/train/{half.id}.benchmark.tsv"], "s\th:m:s\n")
    found = jobs_of(worlds)
    done = found["train", "muver"]
    assert (done.done, done.left, done.took, done.memory) == (1, 0, [71.27], 2**29)
    assert done.disk == 4 * len(model.files) < before.disk and before.left == 1
    assert not found["train", "blink_128"].done and not found["train", "blink_128"].took
    other = jobs_of(worlds)["train", "blink_128"]
    rate = 71.27 / done.seconds(RATES)
    assert expected([done, other], RATES)[other.key] == pytest.approx(rate * other.seconds(RATES))


def test_parts_that_are_encoded():
    own = graph(preset="wikipedia")
    parts = [{"file": f"part-0000{n}.parquet"} for n in range(3)]
    touch(own.kb.files, json.dumps({"entities": 30, "parts": parts}))
    vectors = own.vectors("blink_wiki")
    touch([f"{vectors.path}/part-00001{end}" for end in PART])
    touch([f"logs/wikipedia/encode/{vectors.id}/part-00001.benchmark.tsv"], "s\n5.5\n")
    encoded = jobs_of(own)["encode_part", "blink_wiki"]
    assert (encoded.count, encoded.done, encoded.took) == (3, 1, [5.5])


def test_a_gpu_takes_the_states_out_of_main_memory(worlds):
    here, there = (jobs_of(worlds, gpu)["train", "muver"] for gpu in (False, True))
    assert here.memory > there.memory >= there.disk


def test_finished_jobs_correct_the_others():
    jobs = [
        made("train", "a", [4 * (START + 30)], trained=30),
        made("train", "b", trained=10),
        made("encode", "a", encoded=100),
    ]
    found = [expected(jobs, RATES)[job.key] for job in jobs]
    assert found == pytest.approx([4 * (START + 30), 4 * (START + 10), START + 10])
    assert expected(jobs[1:2], RATES) == {jobs[1].key: START + 10}


def test_trainings_take_longest():
    own = graph()
    seconds = seconds_of(own)
    muver, blink = (seconds["train", own.model(name).id] for name in ("muver", "blink_128"))
    encoded = [seconds["encode", own.store(name, "test").id] for name in ("muver", "blink_128")]
    assert muver > blink > max(encoded) > min(encoded) > START
