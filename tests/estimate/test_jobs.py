"""The jobs of a run: which there are, what of them is done, and how long that took."""

from dataclasses import replace
from pathlib import Path

import pytest

from muver.encoders.sizes import BertConfig
from muver.estimate.jobs import Job, Run, list_jobs
from muver.estimate.rates import Rate, Rates
from muver.estimate.settings import Plan
from muver.estimate.stages import Estimate, Work
from muver.settings import resolve
from muver.settings.file import read_params
from muver.workspace import LinkedWorkspace, Workspace

PARAMS = read_params(Path(__file__).parents[2] / "params.yaml")


@pytest.fixture
def settings() -> dict:
    return resolve(PARAMS, {"results": ["table6", "grid"]})


def touch(folder: Path, files: list[str], text: str = "") -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)


def jobs_of(settings, folder, gpu=False, asked=None):
    return {(job.stage, job.name): job for job in list_jobs(settings, folder, gpu, asked).jobs}


def test_jobs_of_worlds(settings, tmp_path):
    found = jobs_of(settings, tmp_path)
    assert [key for key in found if key[0] != "grid"] == [
        ("train", "blink_128"),
        ("train", "muver"),
        ("encode", "test/blink_128"),
        ("encode", "test/muver"),
        ("merge", "test/muver_distant"),
        ("retrieve", "test/blink_128"),
        ("retrieve", "test/muver"),
    ]
    points = [job for key, job in found.items() if key[0] == "grid"]
    assert len(points) == 4 and {job.disk for job in points} == {0}
    # merged views: four layers of 0.4 of the original ones
    views = found["retrieve", "test/muver"].estimate.work[0].amounts["products"]
    assert views == pytest.approx(500 * 400 / 2 * 15.33 * (1 + 4 * 0.4))


def test_what_is_done_and_how_long_it_took(settings, tmp_path):
    before = jobs_of(settings, tmp_path)["train", "muver"]
    files = [*Workspace(settings).model_files("muver"), "logs/miniwikia/train/muver.benchmark.tsv"]
    touch(tmp_path, files, "s\th:m:s\n71.27\t0:01:11\n")
    found = jobs_of(settings, tmp_path)
    done = found["train", "muver"]
    assert (done.done, done.took) == (1, (71.27,))
    assert done.disk == before.disk / 5  # without its checkpoint
    assert not found["train", "blink_128"].done and not found["train", "blink_128"].took


def test_data_that_nobody_counted(tmp_path):
    found = list_jobs(resolve(PARAMS, {"dataset": str(tmp_path)}), tmp_path, gpu=False)
    assert found.jobs == [] and found.counts is None


def test_jobs_of_a_knowledge_base(tmp_path):
    settings = resolve(PARAMS, {"preset": "wikipedia"})
    run = list_jobs(settings, tmp_path, gpu=False)
    found = {(job.stage, job.name): job for job in run.jobs}
    assert found["kb_part", ""].count == 279 == found["encode_part", "muver_wiki"].count
    assert found["encode_part", "muver_wiki"].origin == "at most"
    # a 279th of 5 views of 1024 numbers of 16 bits, and a byte an entity
    assert found["encode_part", "muver_wiki"].disk == pytest.approx(5_903_530 * (5 * 2048 + 1))
    assert found["encode_part", "blink_wiki"].disk == pytest.approx(5_903_530 * 2049)
    sets = [name for stage, name in found if stage == "search"]
    assert sets[0] == "aida-train/blink_wiki"  # hard negatives
    assert "wnedwiki/muver_wiki" in sets and "aida-train/muver_wiki" not in sets
    trained = [name for stage, name in found if stage == "train"]
    assert trained == ["muver_wiki"]  # BLINK's weights are published
    work = {one.kind: one.amounts for one in found["train", "muver_wiki"].estimate.work}
    assert work["train"]["tokens"] == 18_448 * (128 + 4 * 5 * 40)
    assert run.encoder.hidden_size == 1024 and run.base.entities == 5_903_530


def test_an_index_of_a_row_and_those_that_are_compared(tmp_path):
    systems = {"muver_wiki": {"index": "ivf_sq"}}
    settings = resolve(PARAMS, {"preset": "wikipedia", "systems": systems})
    found = jobs_of(settings, tmp_path, asked=Plan(indices=["hnsw"], entities=10_000))
    assert {name for stage, name in found if stage == "index"} == {
        "muver_wiki/ivf_sq",
        "muver_wiki/hnsw",
        "blink_wiki/hnsw",
    }
    searched = found["search", "msnbc/muver_wiki"].estimate
    assert searched.note.startswith("IVF") and searched.work[0].name == "ivf_sq"
    assert ("encode_mentions", "muver_wiki/aida-testa") in found  # the index is checked with these
    mentions = found["search", "blink_wiki/hnsw"].estimate.work[0].amounts["mentions"]
    assert mentions == 4485 + 656 + 6821


def test_parts_that_are_encoded(tmp_path):
    settings = resolve(PARAMS, {"preset": "wikipedia"})
    files = LinkedWorkspace(settings)
    touch(tmp_path, [f"{files.kb}/part-0000{n}.parquet" for n in range(3)])
    touch(tmp_path, [*files.kb_files, *files.vector_files("blink_wiki", "part-00001")], "{}")
    found = jobs_of(settings, tmp_path)
    assert (found["kb_part", ""].count, found["kb_part", ""].done) == (3, 3)
    parts = found["encode_part", "blink_wiki"]
    assert (parts.count, parts.done) == (3, 1)
    rates = Rates({"encode": {128: Rate(1000, "tokens")}})
    assert parts.seconds_left(rates) == pytest.approx(5_903_530 * 128 / 1000 * 2 / 3)
    assert parts.seconds_left(Rates()) is None


def test_jobs_on_a_gpu(settings, tmp_path):
    job = jobs_of(settings, tmp_path, gpu=True)["train", "muver"]
    assert job.estimate.gpu_memory > job.estimate.memory


def test_lengths_that_are_measured():
    works = [Work("encode", {}, length=length) for length in (35.4, 0, 128, 60)]
    jobs = [Job("encode", "", Estimate((work,))) for work in works]
    run = Run(jobs, BertConfig(), "", None, "")
    assert run.measured_lengths() == [35, 128]
    assert replace(run, jobs=[]).measured_lengths() == []
