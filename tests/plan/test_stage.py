"""The command: a plan of the full run, and one of what is here."""

import json

import pytest

from muver.cli import main
from muver.io.files import read_json
from muver.plan import rate
from tests import tiny
from tests.encoders.stages.wikipedia import make_base


@pytest.fixture(scope="module")
def root(tmp_path_factory, encoder):
    folder = tmp_path_factory.mktemp("plan")
    make_base(folder, 20_000)
    tiny.make_model(encoder).save_pretrained(folder / "model")
    return folder


def call(out, *options, **settings):
    given = json.dumps({**tiny.COMPUTE, "seconds": 1, **settings})
    return main(["plan", "--out", str(out), "--settings", given, *map(str, options)])


def test_the_full_run_without_settings(tmp_path, capsys):
    assert main(["plan", "--folder", str(tmp_path), "--out", str(tmp_path / "plan.json")]) == 0
    said = capsys.readouterr().out
    written = read_json(tmp_path / "plan.json")
    assert written["stage"] == "plan" and written["base"]["entities"] == 5_903_530
    by_name = {(row["stage"], row["model"], row["kind"]): row for row in written["stages"]}
    vectors = by_name["encode-part", "muver_wiki", ""]
    assert vectors["disk"] == 5_903_530 * (5 * 1024 * 2 + 1)
    assert vectors["size_origin"] == "at most" and vectors["hours"] is None
    assert "60.46" in said and "IVF16384,SQfp16" in said
    assert written["machine"]["folder"] == str(tmp_path)
    for line in written["unfit"]:
        assert line in said


def test_what_is_here_is_measured(root, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(rate, "SEARCHED", 300)
    dump = root / "raw" / "kilt_knowledgesource.json"
    options = ["--model", root / "model", "--kb", root / "kb", "--dump", dump, "--measure"]
    options += ["--folder", tmp_path]
    given = {"indices": ["Flat"], "rates": {"encode": {"blink_wiki": 3.5}}}
    models = {
        "blink_wiki": {"kind": "prefix", "max_tokens": 60},
        "muver_wiki": {"kind": "sentences", "max_tokens": 40, "min_pieces": 1, "title_room": 6},
    }
    assert call(tmp_path / "plan.json", *options, models=models, **given) == 0
    written = read_json(tmp_path / "plan.json")
    rows = {(row["stage"], row["model"], row["kind"]): row for row in written["stages"]}
    assert written["base"]["entities"] == 61 and written["base"]["origin"] == "measured"
    assert rows["dump", "", ""]["disk"] == dump.stat().st_size
    assert written["settings"]["encoder"]["hidden_size"] == 32
    assert rows["encode-part", "blink_wiki", ""]["disk"] == 61 * (32 * 2 + 1)
    assert rows["encode-part", "blink_wiki", ""]["rate"]["origin"] == "given"
    for stage, model, kind in (
        ("kb", "", ""),
        ("encode-part", "muver_wiki", ""),
        ("ann-search", "muver_wiki", "exact"),
    ):
        row = rows[stage, model, kind]
        assert row["rate"]["origin"] == "measured" and row["hours"] > 0, stage
    assert "views/s, measured" in capsys.readouterr().out


def test_the_sizes_of_a_bert_s_directory(encoder, tmp_path):
    options = ["--folder", tmp_path, "--model", encoder]
    assert call(tmp_path / "plan.json", *options) == 0
    assert read_json(tmp_path / "plan.json")["settings"]["encoder"]["num_hidden_layers"] == 2


def test_mistakes(root, tmp_path, capsys):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    out = tmp_path / "plan.json"
    for options, words in (
        (["--measure"], "--measure: needs --model"),
        (["--dump", tmp_path / "none.json"], "none.json: no such file"),
        (["--kb", tmp_path], "has no parts with entities"),
        (["--model", tmp_path / "model"], "config.json: has no vocab_size, hidden_size"),
        (["--model", tmp_path / "no_model"], "config.json: no such file"),
    ):
        assert call(out, "--folder", tmp_path, *options) == 2
        assert words in capsys.readouterr().err
    assert not out.exists()
