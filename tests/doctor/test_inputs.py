"""What a run takes from outside: there, to be downloaded, or missing."""

from pathlib import Path

import pytest
import yaml

from muver.doctor import inputs
from muver.settings import resolve
from muver.workspace import Workspace
from muver.workspace.needs import needs_of

PARAMS = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())


def touch(folder: Path, files: list[str]) -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()


@pytest.fixture(scope="module")
def zeshel() -> dict:
    return resolve(PARAMS, {"preset": "zeshel"})


@pytest.fixture(scope="module")
def miniwikia() -> dict:
    return resolve(PARAMS, {})


def test_nothing_to_fetch(miniwikia, tmp_path):
    found = [check(miniwikia, tmp_path) for check in (inputs.dataset, inputs.punkt, inputs.encoder)]
    assert [one.status for one in found] == ["ok"] * 3


def test_what_zeshel_downloads(zeshel, tmp_path):
    found = inputs.dataset(zeshel, tmp_path)
    assert found.status == "note" and "needs the network" in found.says
    assert inputs.punkt(zeshel, tmp_path).status == "note"
    workspace = Workspace(zeshel)
    touch(tmp_path, [*workspace.raw_files(), *workspace.english_files])
    assert inputs.dataset(zeshel, tmp_path).status == "ok"
    assert inputs.punkt(zeshel, tmp_path).status == "ok"


def test_an_archive_that_is_not_there(zeshel, tmp_path):
    own = {**zeshel, "download": {**zeshel["download"], "source": str(tmp_path / "z.tar")}}
    assert inputs.dataset(own, tmp_path).status == "problem"
    (tmp_path / "z.tar").touch()
    assert inputs.dataset(own, tmp_path).status == "ok"


def test_a_directory_that_is_not_there(tmp_path):
    settings = resolve(PARAMS, {"dataset": str(tmp_path / "mine")})
    found = inputs.dataset(settings, tmp_path)
    assert found.status == "problem" and "no documents/*.json in it" in found.says


def test_encoder(zeshel, tmp_path, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    nowhere, here = (lambda name: False), (lambda name: True)
    assert inputs.encoder(zeshel, tmp_path, nowhere).status == "note"
    assert inputs.encoder(zeshel, tmp_path, here).says.endswith("hub's cache on this machine")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    found = inputs.encoder(zeshel, tmp_path, nowhere)
    assert found.status == "problem" and "HF_HUB_OFFLINE is set" in found.says
    touch(tmp_path, Workspace(zeshel).start_files)
    assert inputs.encoder(zeshel, tmp_path, nowhere).status == "ok"


def test_a_name_that_is_none(zeshel, tmp_path):
    own = {**zeshel, "encoder": "a/b/c/no such folder"}
    assert inputs.encoder(own, tmp_path).status == "problem"


def test_checkpoints(tmp_path):
    settings = resolve(PARAMS, {"preset": "released"})
    needs = needs_of(settings, settings["results"])
    [found] = inputs.checkpoints(settings, needs, tmp_path)
    assert found.status == "problem" and "best_zeshel.bin: no such file" in found.says
    touch(tmp_path, ["best_zeshel.bin"])
    [found] = inputs.checkpoints(settings, needs, tmp_path)
    assert found.status == "ok"


def test_writable(tmp_path):
    assert [one.status for one in inputs.writable(tmp_path)] == ["ok"]
    found = inputs.writable(tmp_path, lambda place, mode: False)
    assert {one.status for one in found} == {"problem"}
    (tmp_path / "results").touch()
    [found] = inputs.writable(tmp_path)
    assert found.says.endswith("results: a file; a folder is needed.")


def test_lock(tmp_path):
    assert inputs.lock(tmp_path).status == "ok"
    touch(tmp_path, [".snakemake/locks/0.input.lock"])
    stale = inputs.lock(tmp_path, lambda folder: None)
    assert stale.status == "problem" and "muver unlock" in stale.says
    held = inputs.lock(tmp_path, lambda folder: (7, "snakemake"))
    assert "snakemake is at work here as process 7" in held.says


@pytest.fixture(scope="module")
def wikipedia() -> dict:
    return resolve(PARAMS, {"preset": "wikipedia"})


def told(settings: dict, folder: Path) -> list[tuple[str, str]]:
    return [(one.status, one.says.split()[0]) for one in inputs.knowledge_base(settings, folder)]


def test_an_invented_encyclopedia_needs_no_download(tmp_path):
    settings = resolve(PARAMS, {"preset": "miniwikipedia"})
    (found,) = inputs.knowledge_base(settings, tmp_path)
    assert found.status == "ok" and "without a download" in found.says


def test_what_wikipedia_downloads(wikipedia, tmp_path):
    names = ["kilt", "blink_benchmarks", "blink_biencoder"]
    assert told(wikipedia, tmp_path) == [("note", name) for name in names]
    root = tmp_path / "build" / "wikipedia" / "raw"
    touch(root, ["kilt_knowledgesource.json", "biencoder_wiki_large.bin", "benchmarks/some.conll"])
    assert told(wikipedia, tmp_path) == [("ok", f"{name}:") for name in names]


def test_sources_fetched_by_hand(wikipedia, tmp_path):
    source = {**wikipedia["linking"]["source"], "kilt": str(tmp_path / "dump.json")}
    own = {**wikipedia, "linking": {**wikipedia["linking"], "source": source}}
    missing = inputs.knowledge_base(own, tmp_path)[0]
    assert missing.status == "problem" and "linking.source.kilt is" in missing.says
    touch(tmp_path, ["dump.json"])
    assert inputs.knowledge_base(own, tmp_path)[0].status == "ok"


def test_weights_of_ones_own_are_not_downloaded(tmp_path):
    models = {"blink_wiki": {"checkpoint": "mine.bin"}}
    settings = resolve(PARAMS, {"preset": "wikipedia", "models": models})
    assert told(settings, tmp_path)[2] == ("problem", "mine.bin:")
    touch(tmp_path, ["mine.bin"])
    assert told(settings, tmp_path)[2] == ("ok", "blink_biencoder:")
