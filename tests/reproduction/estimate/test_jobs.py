"""The jobs of a run: which there are, what of them is done, and how long that took."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from muver.reproduction.estimate.jobs import Job, Run, disk_needed, list_jobs
from muver.reproduction.estimate.rates import Rate, Rates
from muver.reproduction.estimate.settings import Plan
from muver.reproduction.estimate.stages import Estimate, Work
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of
from muver.reproduction.workspace.knowledge_base import PART
from muver.retriever.encoders.sizes import BertConfig

PARAMS = read_params(Path(__file__).parents[3] / "params.yaml")
SETS = ("aida-testb", "msnbc", "wnedwiki")


@pytest.fixture(autouse=True)
def nothing_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def worlds():
    return graph(results=["table6", "grid"])


def graph(**overrides):
    return graph_of(resolve(PARAMS, overrides))


def touch(files: list[str], text: str = "") -> None:
    for file in map(Path, files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def jobs_of(own, gpu=False, plan=None):
    return {(job.stage, job.name): job for job in list_jobs(own, gpu, plan).jobs}


def validated(model, tokens, mentions, each):
    """Tokens of one validation, of all that a training encodes without learning from it."""
    training = model.settings["training"]
    passes = mentions * training["epochs"]
    if training["batch_size"] * each > training["graph_tokens"]:
        tokens -= passes * each  # encoded a second time
    return tokens / max(passes / training["batch_size"] / training["validate_every"], 1)


def test_jobs_of_worlds(worlds):
    found = jobs_of(worlds)
    assert [key for key in found if key[0] != "grid"] == [
        ("pretrain", ""),
        ("train", "blink_128"),
        ("train", "muver"),
        ("encode", "test/blink_128"),
        ("encode", "test/muver"),
        ("merge", "test/muver-distant"),
        ("retrieve", "test/blink_128"),
        ("retrieve", "test/muver"),
    ]
    points = [job for key, job in found.items() if key[0] == "grid"]
    assert len(points) == 20 and {job.disk for job in points} == {0}
    # merged views: four layers of 0.4 of the original ones
    views = found["retrieve", "test/muver"].estimate.work[0].amounts["products"]
    assert views == pytest.approx(1800 * 1800 / 3 * 15.33 * (1 + 4 * 0.4))
    made, each = worlds.settings["generate"]["mentions"], 32 + 10 * 40
    encoded = found["train", "muver"].estimate.work[0].amounts["tokens"]
    assert validated(worlds.model("muver"), encoded, made["train"], each) == pytest.approx(
        600 * 15.33 * 40 + made["val"] * 32
    )


def test_what_is_done_and_how_long_it_took(worlds):
    before, model = jobs_of(worlds)["train", "muver"], worlds.model("muver")
    benchmark = f"logs/miniwikia/train/{model.id}.benchmark.tsv"
    touch([*model.files, benchmark], "s\th:m:s\n71.27\t0:01:11\n")
    half = worlds.model("blink_128")
    touch([half.files[0], f"logs/miniwikia/train/{half.id}.benchmark.tsv"], "s\th:m:s\n")
    found = jobs_of(worlds)
    done = found["train", "muver"]
    assert (done.done, done.took) == (1, [71.27])
    assert (done.left, before.left, done.disk) == (0, 1, before.disk)
    assert not found["train", "blink_128"].done and not found["train", "blink_128"].took


def test_data_that_nobody_counted():
    touch(["data/documents/world.json"])
    found = list_jobs(graph(dataset="data"), gpu=False)
    assert found.jobs == [] and found.counts is None


def test_jobs_of_a_knowledge_base():
    own = graph(preset="wikipedia")
    run = list_jobs(own, gpu=False)
    found = {(job.stage, job.name): job for job in run.jobs}
    assert found["kb_part", ""].count == 279 == found["encode_part", "muver_wiki"].count
    assert found["encode_part", "muver_wiki"].origin == "at most"
    # a 279th of 5 views of 1024 numbers of 16 bits, and a byte an entity
    assert found["encode_part", "muver_wiki"].disk == pytest.approx(5_903_530 * (5 * 2048 + 1))
    assert found["encode_part", "blink_wiki"].disk == pytest.approx(5_903_530 * 2049)
    assert {name for stage, name in found if stage == "search"} == {
        "aida-train/blink_wiki",  # hard negatives
        *(f"{name}/{row}_wiki" for name in SETS for row in ("blink", "muver")),
    }
    trained = [name for stage, name in found if stage == "train"]
    assert trained == ["muver_wiki"]  # BLINK's weights are published
    work = {one.kind: one.amounts for one in found["train", "muver_wiki"].estimate.work}
    each = 128 + 4 * 5 * 40
    assert work["train"]["tokens"] == 18_448 * each
    # The subset holds gold entities with three negatives, those of validation, and further ones.
    ranked = 4 * 18_448 + 4791 + own.linking["further"]
    assert validated(own.model("muver_wiki"), work["encode"]["tokens"], 18_448, each) == (
        pytest.approx(ranked * 5 * 40 + 4791 * 128)
    )
    products = found["search", "msnbc/muver_wiki"].estimate.work[0].amounts["products"]
    assert products == 5_903_530 * 5 * 656
    assert run.encoder.hidden_size == 1024 and run.base.entities == 5_903_530


def test_an_index_of_a_row_and_those_that_are_compared():
    own = graph(preset="wikipedia", systems={"muver_wiki": {"index": "ivf_sq"}})
    found = jobs_of(own, plan=Plan(indices=["hnsw"], entities=10_000))
    assert {name for stage, name in found if stage == "index"} == {
        "muver_wiki/ivf_sq",
        "muver_wiki/hnsw",
        "blink_wiki/hnsw",
    }
    searched = found["search", "msnbc/muver_wiki"].estimate
    assert searched.note.startswith("IVF") and searched.work[0].name == "ivf_sq"
    assert ("encode_mentions", "aida-testa/muver_wiki") in found  # the index is checked with these
    mentions = found["search", "blink_wiki/hnsw"].estimate.work[0].amounts["mentions"]
    assert mentions == 4485 + 656 + 6821


def test_parts_that_are_encoded(monkeypatch):
    monkeypatch.setattr("muver.reproduction.estimate.sizes.made_parts", lambda folder: [])
    own = graph(preset="wikipedia")
    parts = [{"file": f"part-0000{n}.parquet"} for n in range(3)]
    touch(own.kb.files, json.dumps({"parts": parts}))
    vectors = own.vectors("blink_wiki")
    touch([f"{vectors.path}/part-00001{end}" for end in PART])
    benchmark = f"logs/wikipedia/encode/{vectors.id}/part-00001.benchmark.tsv"
    touch([benchmark], "s\n5.5\n")
    found = jobs_of(own)
    assert (found["kb_part", ""].count, found["kb_part", ""].done) == (3, 3)
    encoded = found["encode_part", "blink_wiki"]
    assert (encoded.count, encoded.done, encoded.took) == (3, 1, [5.5])
    rates = Rates({"encode": {128: Rate(1000, "tokens")}})
    assert encoded.seconds_left(rates) == pytest.approx(5_903_530 * 128 / 1000 * 2 / 3)
    assert encoded.seconds_left(Rates()) is None


def test_jobs_on_a_gpu(worlds):
    job = jobs_of(worlds, gpu=True)["train", "muver"]
    assert job.estimate.gpu_memory > job.estimate.memory


def test_lengths_that_are_measured():
    works = [Work("encode", {}, length=length) for length in (35.4, 0, 128, 60)]
    jobs = [Job("encode", "", Estimate((work,))) for work in works]
    run = Run(jobs, BertConfig(), "", None, "")
    assert run.measured_lengths() == [35, 128]
    assert replace(run, jobs=[]).measured_lengths() == []


def test_disk_holds_the_checkpoints_of_the_trainings_at_work():
    def job(count, done=0, **sizes):
        return Job("train", "", Estimate(**sizes), count, done)

    jobs = [job(3, disk=10, passing=40), job(1, disk=7), job(1, disk=5, passing=50)]
    assert disk_needed(jobs, 1) == 42 + 50
    assert disk_needed(jobs, 2) == 42 + 50 + 40
    assert disk_needed(jobs, 9) == 42 + 50 + 3 * 40
    assert disk_needed([job(3, 2, disk=10, passing=40)], 2) == 30 + 40  # two are made
