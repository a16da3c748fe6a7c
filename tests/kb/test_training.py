"""muver train: from labelled mentions of a knowledge base to a model that an index takes."""

import json
import re
from pathlib import Path

import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.kb.index.index import Index
from muver.kb.index.mentions import Labelled
from muver.kb.training import FOLDERS, Labels, _in_kb
from muver.retriever.answers import Mention
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.training import loop, run
from tests import tiny

FEW = {"epochs": 2, "batch_size": 4, "learning_rate": 1e-3, "whole": 24}


@pytest.fixture
def kb(tmp_path, monkeypatch):
    """A knowledge base of twelve entities, and labels of ten of them, of one that it does not have
    and of a mention for which none is right.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("muver.kb.training.VIEWS", tiny.SENTENCE_VIEWS)
    monkeypatch.setattr("muver.kb.training.CONTEXT", tiny.CONTEXT)
    texts = [" ".join(sentences) for sentences in tiny.texts(12)]
    rows = [{"id": f"e{n}", "title": tiny.WORDS[n], "text": text} for n, text in enumerate(texts)]
    (tmp_path / "kb.jsonl").write_text("\n".join(map(json.dumps, rows)))
    labels = [
        {"left": "The King", "mention": tiny.WORDS[n], "right": texts[n], "gold": f"e{n}"}
        for n in range(10)
    ]
    labels += [{"mention": "tower", "gold": "gone"}, {"mention": "Tower", "gold": None}]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)))
    return tmp_path


def trained(encoder, **more) -> int:
    settings = json.dumps({**FEW, **more})
    call = ["train", "kb.jsonl", "labels.jsonl", "--encoder", str(encoder), "--out", "own"]
    return main([*call, "--settings", settings])


def test_a_model_of_one_s_own_labels(kb, encoder, capsys):
    assert trained(encoder) == 0
    said = capsys.readouterr().err
    assert "2 labels without an entity" in said and "10 labels, of which 2 are held out" in said
    assert "8 mentions to train on, 2 to validate on" in said
    assert "recall@10 of the 2 held out:" in said
    model = BiEncoder.from_pretrained(kb / "own")
    assert model.config.scale and model.config.provenance["training"]["global_view"] == 24
    assert not [name for name in FOLDERS if (kb / "own" / name).exists()]
    index = Index.from_csv("kb.jsonl", model="own")
    assert index.info()["trained"]
    assert len(index.retrieve("tower", k=12)[0]) == 12
    assert trained(encoder) == 2
    assert "a model is there already" in capsys.readouterr().err
    (recall,) = re.findall("of the 2 held out: ([0-9.]+), after", said)
    assert main(["export", "own", "--to", "shared"]) == 0
    assert f"Among 10 candidates stands the entity of {recall} percent" in Path(
        "shared/README.md"
    ).read_text(encoding="utf-8")


def test_a_folder_of_other_files_is_left_alone(kb, capsys):
    """Its ``data`` would be removed in the end."""
    (kb / "own/data").mkdir(parents=True)
    (kb / "own/data/mine.csv").write_text("mine")
    assert trained("nowhere") == 2
    assert "own: has files that no training wrote. Name another" in capsys.readouterr().err
    assert [path.name for path in (kb / "own").rglob("*")] == ["data", "mine.csv"]


def test_a_killed_run_goes_on(kb, encoder, monkeypatch):
    """To the same bytes as one that was not."""
    assert trained(encoder) == 0
    expected = (kb / "own/entity_encoder/model.safetensors").read_bytes()
    (kb / "own").rename(kb / "whole")
    write = run.write
    monkeypatch.setattr(run, "write", None)  # the run ends before its model is written
    with pytest.raises(TypeError):
        trained(encoder)
    assert (kb / "own/checkpoints").is_dir() and not (kb / "own/muver.json").exists()
    monkeypatch.setattr(run, "write", write)
    monkeypatch.setattr(run.Trainer, "train_on", None)  # no step is taken again
    assert trained(encoder) == 0
    assert (kb / "own/entity_encoder/model.safetensors").read_bytes() == expected


@pytest.mark.parametrize(("hits", "step"), [((2, 1), 0), ((1, 1), 4)])
def test_the_start_is_kept_if_training_makes_it_worse(hits, step, kb, encoder, capsys, monkeypatch):
    first = tiny.make_model(encoder, scale=20.0)
    first.save_pretrained(kb / "first")
    found = iter(hits)
    monkeypatch.setattr(loop, "count_hits", lambda *_: (next(found), 2))
    assert trained(kb / "first") == 0
    said = capsys.readouterr().err
    assert f"after step {step}; {50 * hits[0]}.0 before training" in said
    assert ("It made it worse" in said) == (step == 0)
    theirs, ours = first.state_dict(), BiEncoder.from_pretrained(kb / "own").state_dict()
    assert all((theirs[name] == ours[name]).all() for name in theirs) == (step == 0)


def test_labels_from_which_nothing_is_learnt(kb, encoder, capsys):
    lines = (kb / "labels.jsonl").read_text().splitlines()
    (kb / "labels.jsonl").write_text("\n".join(lines[:2] + lines[10:]))
    assert trained(encoder) == 2
    said = capsys.readouterr().err
    assert "labels.jsonl: labels of fewer than 3 entities of kb.jsonl, from" in said


def test_an_encoder_that_is_not_there_is_told_first(kb, capsys):
    (kb / "labels.jsonl").write_text("no JSON")
    assert trained("./none") == 2
    assert "encoder './none': neither a directory here nor" in capsys.readouterr().err


def test_few_labels_get_more_epochs():
    assert Labels().of_training(16).training.epochs == 60
    assert Labels().of_training(16_000).training.epochs == 3
    assert Labels(epochs=5).of_training(16).training.epochs == 5


def test_a_gold_of_several_worlds(tmp_path, encoder):
    source = tmp_path / "kb.jsonl"
    rows = [{"id": "1", "name": "king", "world": world} for world in ("sea", "land")]
    source.write_text("\n".join(map(json.dumps, rows)))
    assert main(["kb", "import", str(source), "--out", str(tmp_path / "kb")]) == 0
    with pytest.raises(InputError, match="line 1: gold '1' is in several worlds. Name one."):
        _in_kb(
            [Labelled(Mention("king"), "line 1", "1")], tmp_path / "kb", tmp_path / "kb", "labels"
        )
