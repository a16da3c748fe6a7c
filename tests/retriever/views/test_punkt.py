"""Punkt's parameters: learnt the same way always, kept in files, checked."""

import os
import subprocess
import sys

import pytest
from nltk.tokenize.punkt import PunktTrainer

from muver.io.errors import InputError
from muver.retriever.views import punkt
from muver.retriever.views.views_settings import PUNKT_FILES

# "prof." always carries its stop, and names stand within sentences.
TEXTS = [
    "The village met prof. Stone by the mill. It rained. Then prof. Stone left the village.",
    "A letter reached prof. Reed at home. He smiled. She asked prof. Reed to go etc.. They went.",
    "It was late. They asked a prof. of law and prof. Stone. He came at noon, with it etc. there.",
] * 4


def written(folder):
    return {name: (folder / name).read_bytes() for name in PUNKT_FILES}


def test_the_trainer_learns_what_nltks_own_does(monkeypatch):
    theirs = PunktTrainer()
    for text in TEXTS:
        theirs.train(text, finalize=False)
    monkeypatch.setattr(punkt, "CHUNK", 1)  # a chunk each
    ours, theirs = punkt.train(TEXTS), theirs.get_params()
    for name in ("abbrev_types", "collocations", "sent_starters", "ortho_context"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.abbrev_types and ours.ortho_context


def test_what_is_shipped_is_learnt_from_its_texts_alone(tmp_path, monkeypatch):
    punkt.ship(lambda: TEXTS, tmp_path)
    monkeypatch.setattr(punkt, "SHIPPED", tmp_path)
    trained = []
    monkeypatch.setattr(punkt, "train", lambda texts: trained.append(texts))
    assert "prof" in punkt.learnt_from(lambda: TEXTS).abbrev_types and not trained
    punkt.learnt_from(lambda: [*TEXTS, "More."])
    punkt.learnt_from(lambda: ["".join(TEXTS)])
    assert trained == [[*TEXTS, "More."], ["".join(TEXTS)]]


def test_files_keep_the_parameters_and_their_bytes(tmp_path):
    learnt = punkt.train(TEXTS)
    punkt.save(learnt, tmp_path / "a")
    loaded = punkt.load(tmp_path / "a")
    assert loaded.abbrev_types == learnt.abbrev_types
    assert loaded.collocations == learnt.collocations
    assert loaded.sent_starters == learnt.sent_starters
    assert loaded.ortho_context == {word: flags for word, flags in learnt.ortho_context.items()
                                    if flags}  # fmt: skip
    punkt.save(loaded, tmp_path / "b")
    assert written(tmp_path / "a") == written(tmp_path / "b")
    assert punkt.fingerprint(tmp_path / "a") == punkt.fingerprint(tmp_path / "b")


def test_same_bytes_under_every_hash_seed(tmp_path):
    program = (
        "import sys; from muver.retriever.views import punkt; "
        f"punkt.save(punkt.train({TEXTS!r}), sys.argv[1])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, str(tmp_path / "there")]
    subprocess.run(command, check=True, env=environment)
    punkt.save(punkt.train(TEXTS), tmp_path / "here")
    assert written(tmp_path / "there") == written(tmp_path / "here")


def test_english_layout(english):
    loaded = punkt.load(english)
    assert loaded.abbrev_types == {"dr", "mr"}
    assert loaded.collocations == {("s", "bach")}
    assert loaded.ortho_context["he"] == 46
    punkt.verify_english(english)


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("collocations.tab", b"s\tbach\nalone", "collocations.tab"),
        ("ortho_context.tab", b"he\tmany", "'many'"),
        ("sent_starters.txt", b"\xff", "sent_starters.txt"),
        ("abbrev_types.txt", None, "abbrev_types.txt: no such file. Punkt's parameters"),
        ("abbrev_types.txt", b"mr", "not Punkt's English parameters"),  # no "dr"
    ],
)
def test_files_that_are_damaged_or_not_english(english, name, content, words):
    (english / name).unlink()
    if content is not None:
        (english / name).write_bytes(content)
    with pytest.raises(InputError, match=words):
        punkt.verify_english(english)
