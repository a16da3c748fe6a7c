"""The check as a whole, on machines that are too small."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.options import setting
from muver.reproduction.doctor.check import as_text, check
from muver.reproduction.doctor.plan import Machine
from muver.retriever.encoders.encoders_settings import Compute
from tests import tiny

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(PROJECT / "params.yaml", tmp_path)
    return tmp_path


def machine(**other) -> Machine:
    return Machine(**{"cores": 2, "gpus": 0, **other})


def run(folder, overrides=None, **sizes):
    return check(folder, overrides or {}, machine(**sizes))


def status(report) -> dict[str, str]:
    return {finding["check"]: finding["status"] for finding in report["findings"]}


def test_a_machine_that_will_do(folder):
    report = run(folder)
    assert not report["found"]
    assert set(status(report).values()) <= {"ok", "note"}
    assert "Nothing stands in the way." in as_text(report) and "Left: about" in as_text(report)


@pytest.mark.parametrize(
    ("compute", "own", "expected"),
    [
        ({"device": "cuda"}, {}, "PROBLEM"),
        ({"device": "cuda"}, {"gpus": 1}, "ok"),
        ({"processes": 2}, {"gpus": 1}, "PROBLEM"),
        ({"threads": 4}, {}, "note"),
        ({"device": "cpu", "threads": 2}, {"gpus": 1}, "ok"),
    ],
)
def test_device(folder, compute, own, expected):
    assert status(run(folder, {"compute": compute}, **own))["device"] == expected


def test_a_dataset_without_documents(folder):
    for dataset, wrong in (("nothing", "no such folder"), (folder, "no documents/*.json in it")):
        report = run(folder, {"dataset": str(dataset)})
        assert status(report)["dataset"] == "PROBLEM" and report["jobs"] == []
        assert wrong in as_text(report)


def test_the_first_mistakes_of_a_dataset(folder, dataset):
    (one,) = dataset.mentions["train"]
    dataset.mentions["train"] = [{**one, "mention_id": n, "end_index": "२"} for n in range(12)]
    report = run(folder, {"dataset": str(dataset.write())})
    says = [one["says"] for one in report["findings"] if one["check"] == "dataset"]
    assert len(says) == 11 and report["found"]
    for number in range(10):
        assert f"train.json, line {number + 1}: end_index is '२'" in says[number]
    dataset.mentions["train"] = [one]
    assert status(run(folder, {"dataset": str(dataset.write())}))["dataset"] == "ok"


def test_settings_of_the_command_line(capsys):
    assert setting("preset=zeshel") == ("preset", "zeshel")
    assert setting("merge={top_k: 0.2}") == ("merge", {"top_k": 0.2})
    for wrong, says in (("preset", "is not KEY=VALUE"), ("merge={", "is not YAML")):
        with pytest.raises(SystemExit):
            main(["doctor", "check", "--config", wrong])
        assert says in capsys.readouterr().err


def test_bad_settings(folder, tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        run(folder, {"preset": "nowhere"})
    with pytest.raises(InputError, match="nowhere: no such folder"):
        run(tmp_path / "nowhere")
    (folder / "params.yaml").write_text("{")
    with pytest.raises(InputError, match="not YAML"):
        run(folder)


def test_command(folder, tmp_path, capsys):
    out = tmp_path / "report.json"
    arguments = ["doctor", "check", "--folder", str(folder)]
    assert main([*arguments, "--out", str(out)]) == 0
    assert json.loads(out.read_text())["preset"] == "miniwikia"
    assert "Left: about" in capsys.readouterr().out
    assert main([*arguments, "--config", "preset=none"]) == 2
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--config", "compute={device: cuda, processes: 99}"])
    assert ended.value.code == 1


@pytest.mark.parametrize("preset", ["realworlds", "zeshel_small"])
def test_presets_of_worlds(folder, preset, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    jobs = {(job["stage"], job["job"]): job for job in run(folder, {"preset": preset})["jobs"]}
    assert jobs["train", "muver"]["seconds_left"] > 0


@pytest.mark.parametrize("preset", ["miniwikipedia", "wikipedia"])
def test_presets_of_a_knowledge_base(folder, preset, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    report = run(folder, {"preset": preset})
    assert not report["found"], report["findings"]
    jobs = {(job["stage"], job["job"]): job for job in report["jobs"]}
    for stage in ("encode_part", "train"):
        assert jobs[stage, "muver_wiki"]["seconds_left"] > 0


def test_it_loads_no_torch(folder):
    """In a process of its own; presets with an encoder from scratch, from the hub, and linked."""
    script = """
import sys
from muver.cli import main
for preset in ("miniwikia", "zeshel", "miniwikipedia"):
    try:
        main(["doctor", "check", "--config", f"preset={preset}"])
    except SystemExit as end:
        assert end.code == 1, preset
print("LOADED", [name for name in ("torch", "transformers", "mlflow") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("LOADED []\n")


def test_the_full_run(folder):
    report = run(folder, {"preset": "wikipedia"})
    jobs = {(job["stage"], job["job"]): job for job in report["jobs"]}
    vectors = jobs["encode_part", "muver_wiki"]
    assert vectors["seconds_left"] > jobs["encode_part", "blink_wiki"]["seconds_left"]
    assert re.search(r"^encode_part +558 +0 ", as_text(report), re.MULTILINE)


def test_data_that_nobody_counted(folder, dataset):
    report = run(folder, {"dataset": str(dataset.write()), "preset": "directory"})
    assert "not counted yet" in as_text(report) and not report["jobs"]


def test_jobs_beside_each_other_take_less_time(folder):
    alone, beside = (run(folder, {"preset": "zeshel"}, cores=cores) for cores in (1, 2))
    each = [job["seconds_left"] for job in alone["jobs"]]
    assert alone["seconds_left"] == pytest.approx(sum(each))
    assert beside["seconds_left"] == pytest.approx(alone["seconds_left"] / 2)


def test_jobs_at_once():
    compute = tiny.settings(Compute, training_precision="fp32", device="auto", threads=2)
    for cores, gpus, jobs in ((8, 0, 4), (1, 0, 1), (8, 2, 1)):
        assert machine(cores=cores, gpus=gpus).at_once(compute) == jobs
