"""The jobs of a run: which there are, what they take, and what of them is done."""

import json
from pathlib import Path

import pytest

from muver.io.files import write_json, write_text
from muver.reproduction.doctor.plan import COSTS, Machine, encoder_sizes, plan, together
from muver.reproduction.workspace.knowledge_base import PART
from muver.retriever.corpus.sources import WorldCounts
from muver.retriever.corpus.statistics import Counts
from tests.reproduction.settings import graph


def touch(files, text=""):
    for file in map(Path, files):
        write_text(file, text)


def planned(gpus=0, results=("table1",), **overrides):
    asked_graph = graph(results=list(results), **overrides)
    machine = Machine(cores=1, gpus=gpus)
    found = plan(asked_graph, machine, asked_graph.asked(asked_graph.settings.results))
    return {(job.artifact.rule, job.artifact.name): job for job in found}


def work(job):
    """Seconds beyond the start."""
    return job.seconds - COSTS["start"]


def test_jobs_of_worlds():
    found = planned(results=["table6", "grid"])
    points = [job for (rule, _), job in found.items() if rule == "grid_point"]
    assert len(points) == 36
    assert {name for rule, name in found if rule == "train"} == {"blink_128", "muver"}
    plain, merged = (work(planned()["retrieve", f"test/muver{end}"]) for end in ("_plain", ""))
    # merged views: four layers of 0.4 of the original ones
    assert merged == pytest.approx(plain * (1 + 4 * 0.4))
    scratch = planned(encoder="scratch", pretrain={"steps": 5})
    assert work(scratch["pretrain", ""]) > 0 and not work(scratch["encoder", ""])


def test_what_a_training_takes():
    def trained(name="muver", **training):
        return work(planned(models={name: {"training": training}})["train", name])

    # Both train and validate; per token training alone grows with the epochs.
    assert trained(epochs=4) > trained(epochs=2) > trained(epochs=1)
    assert trained(global_view=128) > trained(global_view=8)
    muver, blink = (planned()["train", name].seconds for name in ("muver", "blink_128"))
    encoded = [planned()["encode", f"test/{name}"].seconds for name in ("muver", "blink_128")]
    assert muver > blink > max(encoded) > min(encoded) > COSTS["start"]


def test_models_of_which_one_is_chosen_early():
    """Each of the four takes a quarter of the steps, and one the other three quarters."""
    found = planned(tables={"table1": ["blink_128", "partalidou"]})
    alone, several = (
        found[rule] for rule in (("train", "blink_128"), ("train_best", "partalidou"))
    )
    assert alone.seconds < several.seconds < 1.75 * alone.seconds


def test_jobs_of_a_knowledge_base():
    found = planned(
        results=["table2"], preset="wikipedia", systems={"muver_wiki": {"index": "ivf_sq"}}
    )
    muver, blink = (found["encode_part", f"{name}_wiki"] for name in ("muver", "blink"))
    assert muver.count == blink.count == 279
    assert work(muver) / work(blink) == pytest.approx(5 * 40 / 128)
    assert [name for rule, name in found if rule == "train"] == ["muver_wiki"]
    exact, approximate = (found["retrieve", f"msnbc/{name}_wiki"] for name in ("blink", "muver"))
    assert work(exact) > 0 and work(approximate) > 0
    assert work(found["ann_index", "muver_wiki/ivf_sq"]) > 0


def test_data_that_nobody_counted():
    touch(["data/documents/world.json"])
    assert planned(dataset="data") == {}


def test_a_corpus_and_its_sentences_are_counted():
    """A mention is compared with all views of its world."""
    worlds, compared = graph(), []
    entities, mentions = {"train": 6, "val": 2, "test": 2}, {"train": 3, "val": 1, "test": 800}
    for split, sentences in (("val", 10), ("test", 10), ("test", 30)):
        sizes = {"a": WorldCounts("test", 1), "b": WorldCounts(split, 1)}
        counts = Counts("x", "0", None, sizes, mentions, entities)
        write_json(worlds.corpus["/counts.json"].path, counts)
        touch([worlds.segment["/manifest.json"].path], json.dumps({"sentences": {"a": sentences}}))
        compared.append(work(planned()["retrieve", "test/muver_plain"]))
    assert [one / compared[0] for one in compared] == pytest.approx([1, 0.5, 1.5])


@pytest.mark.parametrize(
    ("encoder", "hidden"),
    [
        ("scratch", 128),
        ("miniwikia-bert", 128),
        ("bert-large-uncased", 1024),
        ("sentence-transformers/all-MiniLM-L6-v2", 384),
        ("nobody/no-such-encoder", 768),
    ],
)
def test_encoders_that_are_not_here(encoder, hidden, monkeypatch):
    monkeypatch.setattr("muver.reproduction.doctor.plan.cached", lambda name: None)
    assert encoder_sizes(graph(encoder=encoder)).hidden_size == hidden


def test_what_is_left():
    known = graph()
    touch(known.model("muver").files)
    touch(known.model("blink_128").files[:1])
    found = planned()
    assert [found["train", name].left for name in ("muver", "blink_128")] == [0, 1]


def test_parts_that_are_encoded():
    base = graph(preset="wikipedia")
    parts = [{"file": f"part-0000{n}.parquet"} for n in range(3)]
    touch(base.kb.files, json.dumps({"entities": 30, "parts": parts}))
    touch([f"{base.vectors('blink_wiki').path}/part-00001{end}" for end in PART])
    encoded = planned(results=["table2"], preset="wikipedia")["encode_part", "blink_wiki"]
    assert (encoded.count, encoded.left) == (3, 2)


def test_a_gpu_takes_less_time():
    here, there = (planned(gpus)["train", "muver"] for gpus in (0, 1))
    assert here.seconds > there.seconds


@pytest.mark.parametrize(
    ("device", "gpus", "gives"),
    [("cpu", 1, False), ("auto", 0, False), ("auto", 2, True), ("cuda", 0, True)],
)
def test_a_cluster_is_asked_for_gpus_that_the_submitting_machine_lacks(device, gpus, gives):
    compute = graph(compute={"device": device}).settings.compute
    assert Machine(2, gpus).gives_gpu(compute) == gives


def test_threads_and_processes_share_a_training():
    one, threads, processes = (
        work(planned(compute=compute)["train", "muver"])
        for compute in ({"threads": 1}, {"threads": 2}, {"threads": 1, "processes": 4})
    )
    assert (threads, processes) == pytest.approx((one / 2, one / 4))


def test_jobs_beside_each_other_take_as_long_as_the_longest():
    assert together([10, 40], 1) == 50
    assert together([10, 40], 4) == 40
    assert together([], 2) == 0
