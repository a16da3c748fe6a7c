"""muver plan: the full run, and a run of what is here."""

import json
import shutil
from pathlib import Path

import pytest

from muver.cli import main
from muver.io.files import read_json
from muver.reproduction.estimate import rates
from muver.reproduction.estimate.jobs import Job
from muver.reproduction.estimate.machine import Machine
from muver.reproduction.estimate.plan import disk_totals, unfit, with_hours
from muver.reproduction.estimate.settings import Plan
from muver.reproduction.estimate.stages import Estimate, Work
from tests import tiny
from tests.retriever.encoders.stages.wikipedia import make_base

PROJECT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def root(tmp_path_factory, encoder):
    folder = tmp_path_factory.mktemp("plan")
    shutil.copy(PROJECT / "params.yaml", folder)
    make_base(folder, 20_000)
    tiny.make_model(encoder).save_pretrained(folder / "model")
    return folder


def call(root, out, *options, **settings):
    words = [
        "plan",
        "--folder",
        root,
        "--out",
        out,
        "--settings",
        json.dumps(settings),
        *options,
    ]
    return main([str(word) for word in words])


def rows_of(path):
    return {(row["stage"], row["job"]): row for row in read_json(path)["stages"]}


def test_the_full_run_without_settings(root, tmp_path, capsys):
    assert call(root, tmp_path / "plan.json") == 0
    said = capsys.readouterr().out
    written = read_json(tmp_path / "plan.json")
    assert written["stage"] == "plan" and written["base"]["entities"] == 5_903_530
    vectors = rows_of(tmp_path / "plan.json")["encode_part", "muver_wiki"]
    assert vectors["disk"] == pytest.approx(5_903_530 * (5 * 1024 * 2 + 1), abs=1)
    assert vectors["size_origin"] == "at most" and vectors["hours"] is None
    assert "60.46" in said and "IVF16384,SQfp16" in said
    assert written["machine"]["folder"] == str(root / "build" / "wikipedia")
    for line in written["unfit"]:
        assert line in said


def test_what_is_here_is_measured(root, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(rates, "SEARCHED", 300)
    dump = root / "raw" / "kilt_knowledgesource.json"
    options = ["--model", root / "model", "--kb", root / "kb", "--dump", dump, "--measure"]
    short = "models={blink_wiki: {views: {max_tokens: 60}}}"
    options += ["--disk", tmp_path, "--config", short, "context={max_tokens: 60}"]
    given = {"read": 2, "encode": {"blink_wiki": 3.5}, "build": {"Flat": 10}}
    settings = {"indices": ["Flat"], "seconds": 1, "devices": 2, "rates": given}
    assert call(root, tmp_path / "plan.json", *options, **settings) == 0
    written, rows = read_json(tmp_path / "plan.json"), rows_of(tmp_path / "plan.json")
    assert written["base"]["entities"] == 61 and written["base"]["origin"] == "measured"
    assert rows["dump", ""]["disk"] == dump.stat().st_size
    assert written["encoder"]["hidden_size"] == 32
    assert rows["encode_part", "blink_wiki"]["disk"] == 61 * (32 * 2 + 1)
    assert rows["encode_part", "blink_wiki"]["rate"] == {
        "value": 3.5, "unit": "views", "origin": "given",
    }  # fmt: skip
    megabytes = dump.stat().st_size / 1e6
    assert rows["kb_part", ""]["hours"] == pytest.approx(megabytes / 2 / 3600)
    assert rows["index", "blink_wiki/Flat"]["hours"] == pytest.approx(61 / 10 / 3600)
    for key in (("encode_mentions", "msnbc/muver_wiki"), ("search", "msnbc/muver_wiki")):
        assert rows[key]["rate"]["origin"] == "measured" and rows[key]["hours"] > 0, key
    said = capsys.readouterr().out
    assert "tokens/s, measured" in said and "views/s, given" in said


def test_worlds_can_be_planned_too(root, tmp_path, capsys):
    assert call(root, tmp_path / "plan.json", "--config", "preset=zeshel") == 0
    assert ("train", "muver") in rows_of(tmp_path / "plan.json")
    assert "15.33 views an entity" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "settings", "words"),
    [
        (["--dump", "none.json"], {}, "none.json: no such file"),
        (["--kb", "."], {}, "has no parts with entities"),
        (["--model", "no_model"], {}, "config.json: no such file"),
        (["--model", "short", "--measure"], {}, "have 128 tokens, and the encoder has 64"),
        ([], {"entity": 3}, "unknown key entity. Did you mean 'entities'"),
        ([], {"entities": 0}, "entities is 0, expected a whole number, at least 1"),
        ([], {"rates": {"encode": {"muver_wik": 1}}}, "unknown name 'muver_wik'. Did you mean"),
        ([], {"rates": {"search": {"exakt": 1}}}, "unknown name 'exakt'. Did you mean 'exact'"),
        ([], {"rates": {"build": {"hnsw": 0}}}, "rates.build.hnsw is 0"),
        ([], {"rates": {"read": "fast"}}, "rates.read is 'fast'"),
    ],
)
def test_mistakes(root, tmp_path, capsys, monkeypatch, options, settings, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").symlink_to(root / "model")
    assert call(root, tmp_path / "plan.json", *options, **settings) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "plan.json").exists()


JOBS = [
    Job("encode", "parts", Estimate(disk=10, memory=70), count=4),
    Job("index", "own", Estimate((Work("build", {}, "own"),), disk=5)),
    Job("index", "a hnsw", Estimate((Work("build", {}, "hnsw"),), disk=100)),
    Job("index", "b hnsw", Estimate((Work("build", {}, "hnsw"),), disk=200)),
]


@pytest.mark.parametrize(
    ("stage", "jobs", "hours"),
    [("encode_part", 10, 1.0), ("encode_part", 2, 4.0), ("kb_part", 10, 2.0), ("train", 1, 8.0)],
)
def test_hours_of_jobs_beside_each_other(stage, jobs, hours):
    asked = Plan(workers=4, devices=8)
    assert with_hours({"stage": stage, "jobs": jobs, "seconds": 8 * 3600}, asked)["hours"] == hours


def test_what_does_not_fit():
    totals = disk_totals(JOBS, ["hnsw"], 1)
    assert totals == {"no index": 45, "hnsw": 345}
    assert unfit(JOBS, totals, Machine("build", 70, 345, 2, 0)) == []
    disk, memory = unfit(JOBS, totals, Machine("build", 69, 344, 2, 0))
    assert disk.startswith("Disk: the run with hnsw takes")
    assert memory.startswith("Memory: encode parts takes")
