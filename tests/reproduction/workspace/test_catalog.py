"""What people and DVC are told of the present settings, and what other settings left behind."""

import json
import os
from pathlib import Path

import pytest
from pathspec import PathSpec

from muver.cli import main
from muver.io.files import write_text
from muver.reproduction.workspace.current import link, not_asked, path_of, write_asked
from tests.reproduction.settings import graph

PROJECT = Path(__file__).parents[3]


def make(*artifacts):
    for one in artifacts:
        for file in one.files:
            write_text(file, "made")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_links_without_keys_follow_the_settings():
    first, other = graph(), graph(seed=7)
    model, run = first.model("muver"), first.run("muver", "test")
    make(model, other.model("muver"), run)
    link(first)
    assert Path("build/miniwikia/current/models/muver").resolve() == Path(model.path).resolve()
    assert Path("build/miniwikia/current/runs/test/muver.parquet").read_text() == "made"
    link(other)
    current = Path("build/miniwikia/current/models/muver").resolve()
    assert current == Path(other.model("muver").path).resolve()
    assert os.path.islink("build/miniwikia/current/corpus")


def test_a_name_of_params_leads_to_what_the_settings_ask_for(capsys):
    command = ["index", "create", "kb", "--out", "index", "--model", "muver"]
    Path("params.yaml").write_text((PROJECT / "params.yaml").read_text())
    Path("muver").mkdir()  # as in a clone
    model = graph().model("muver")
    assert main(command) == 2
    assert f"snakemake --cores all {model.files[0]}" in capsys.readouterr().err
    make(model)
    index = Path("build/miniwikia/indexes/muver")
    index.mkdir(parents=True)
    assert path_of("models", "muver") == model.path and Path(path_of("systems", "muver")) == index
    assert path_of("models", "bm25") == "bm25"


def test_what_dvc_is_told_is_linked_too():
    Path("params.yaml").write_text((PROJECT / "params.yaml").read_text())
    assert main(["stage", "asked"]) == 0
    assert os.path.islink("build/miniwikia/current/models/muver")


def test_the_start_of_a_repeat_seed_is_linked_beside_the_main_seed_s():
    made = graph(repeat_seeds=[7], encoder="scratch", pretrain={"steps": 5})
    make(made.start, made.start_of(7))
    link(made)
    for name, own in (("pretrained", made.start), ("pretrained_seed7", made.start_of(7))):
        assert Path("build/miniwikia/current", name).resolve() == Path(own.path).resolve()
    write_asked(made)
    asked = json.loads(Path("build/miniwikia/asked/pretrain.json").read_text())["artifacts"]
    for one in (made.start, made.start_of(7)):
        assert asked[f"pretrained/{one.name}"] == one.id


def test_what_a_stage_is_asked_for_changes_with_its_own_settings_alone():
    asked = Path("build/miniwikia/asked")

    def lists(**overrides):
        write_asked(graph(**{"encoder": "scratch", "pretrain": {"steps": 9}, **overrides}))
        return {path.stem: path.read_text() for path in asked.iterdir()}

    before = lists()
    assert "models/muver" in json.loads(before["train"])["artifacts"]
    changed = {
        "seed": lists(seed=7),
        "merge": lists(merge={"top_k": 0.3}),
        "pretraining": lists(pretrain={"steps": 5}),
        "a row's name": lists(systems={"muver": {"method": "ours"}}),
        "a model's name": lists(models={"muver": {"method": "ours"}}),
    }
    differ = {
        what: {stage for stage in before if after[stage] != before[stage]}
        for what, after in changed.items()
    }
    assert differ == {
        "seed": {"encoder", "pretrain", "train", "encode", "merge", "retrieve", "evaluate"},
        "merge": {"merge", "retrieve", "evaluate"},
        "pretraining": {"pretrain", "train", "encode", "merge", "retrieve", "evaluate"},
        "a row's name": {"tables"},
        "a model's name": {"tables"},
    }


def test_what_other_settings_made_is_left_to_prune(capsys, monkeypatch):
    params = (PROJECT / "params.yaml").read_text(encoding="utf-8")
    Path("params.yaml").write_text(params, encoding="utf-8")
    kept, left = graph(), graph(seed=7)
    make(
        kept.model("muver"),
        kept.run("muver", "test"),
        left.model("muver"),
        left.run("muver", "test"),
    )
    stale = {Path(left.model("muver").path), *map(Path, left.run("muver", "test").files)}
    for one in (kept, left):
        for name in (one.model("muver").id, f"grid/{one.grid_points[0].id}"):
            checkpoint = Path(one.root, "checkpoints", name)
            checkpoint.mkdir(parents=True)
            stale |= {checkpoint} if one is left else set()
    assert set(not_asked(kept)) == stale
    assert main(["stage", "asked"]) == 0
    ignored = Path("build/miniwikia/.dvcignore").read_text().splitlines()
    spec = PathSpec.from_lines("gitignore", ignored)
    stays = [*kept.model("muver").files, *kept.run("muver", "test").files]
    root = f"{kept.root}/"
    assert not any(spec.match_file(path.removeprefix(root)) for path in stays)
    kinds = [path for path in stale if "checkpoints" not in path.parts]  # those are no outputs
    assert all(spec.match_file(str(path).removeprefix(root)) for path in kinds)
    # A trial that is yet to be made, and a kind that nothing is asked of.
    assert spec.match_file(graph(seed=8).run("bm25", "val").files[0].removeprefix(root))
    assert spec.match_file("vectors/muver-0badcafe")

    assert main(["prune"]) == 0
    assert all(path.exists() for path in stale)
    assert str(left.model("muver").path) in capsys.readouterr().out
    assert main(["prune", "--config", "seed=7", "--remove"]) == 0
    assert not Path(kept.model("muver").path).exists()
    assert all(path.exists() for path in stale)
