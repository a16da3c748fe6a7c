"""A probability beside the score, and none of these below a threshold."""

import json

import numpy as np
import pytest

from muver import Candidate, Mention
from muver.cli import main
from muver.io.errors import InputError
from muver.kb.index.calibrating import Judged, cross_validated, decision, fit, threshold
from muver.kb.index.calibration import FILE, features
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index

NAN = np.nan
COLOURS = ("red", "blue", "green", "white", "black")
MENTION = {"left": "", "mention": "red gate", "right": ""}
THINGS = ("gate", "lamp", "boat", "mill", "bell", "tower", "bridge", "road")


def judged(right, linkable=None, column=None):
    """Mentions with one feature, by default drawn so that it tells something."""
    right = np.array(right, dtype=bool)
    if column is None:
        column = np.random.default_rng(3).normal(size=len(right)) + right
    linkable = right | (np.arange(len(right)) % 2 == 0) if linkable is None else linkable
    return Judged(np.array(column, dtype=float)[:, None], right, np.array(linkable, dtype=bool))


def test_the_features_of_a_ranking():
    def candidate(title, score, **signals):
        return Candidate(0, "", title, score, 0, 0, 0, "", signals=signals)

    two = [candidate("Gate of Rye", 3.0), candidate("Rye", 2.5)]
    np.testing.assert_allclose(features(Mention("GATE of rye "), two), [3, 0.5, 1, 0, 0])
    two = [candidate("Gate of Rye", 13.0, exact=10.0), candidate("Rye", 2.5, exact=0.0)]
    np.testing.assert_allclose(features(Mention("GATE of rye "), two), [3, 0.5, 1, 1, 0])
    score, margin, alike, *equal = features(Mention("gate"), two[:1])
    assert (score, alike, equal) == (3, 2 * 4 / (4 + 11), [1, 0]) and np.isnan(margin)


def test_a_feature_that_is_always_the_same_or_missing_tells_nothing():
    for value in (2.0, NAN):
        fitted = fit(judged([1, 0, 0, 0], column=[value] * 4))
        assert fitted.probabilities(np.array([[value]]))[0] == pytest.approx(0.25, abs=1e-4)


def test_the_threshold_of_the_highest_f1_and_of_a_precision():
    chances = np.array([0.9, 0.8, 0.7, 0.7, 0.2, 0.1])
    own = judged([1, 0, 1, 1, 0, 0], linkable=[1, 1, 1, 1, 0, 0])
    # Answering two gives 2/6, four 6/8, all six 6/10; 0.7 can't be divided.
    assert threshold(chances, own) == 0.7
    assert threshold(chances, own, precision=0.75) == 0.7
    assert threshold(chances, own, precision=0.76) == 0.9
    assert threshold(chances, own._replace(right=own.right & False), precision=0.1) is None


def test_the_decision_is_counted():
    own = judged([1, 0, 1, 0, 0], linkable=[1, 1, 1, 0, 0])
    made = decision(np.array([True, True, False, True, False]), own)
    assert made.precision == 1 / 3 and made.recall == 1 / 3 and made.f1 == 2 / 6
    assert made.none_precision == 1 / 2 and made.none_recall == 1 / 2


def test_cross_validation_does_not_see_what_it_is_measured_on():
    """A feature that tells mentions apart and nothing else gains nothing."""
    rng = np.random.default_rng(0)
    right = rng.random(200) < 0.5
    noise = Judged(rng.normal(size=(200, 40)), right, np.ones(200, dtype=bool))
    own = fit(noise).probabilities(noise.features)
    unseen, answered = cross_validated(noise)
    assert ((own > 0.5) == right).mean() > 0.65
    assert 0.35 < ((unseen > 0.5) == right).mean() < 0.6
    again = cross_validated(noise)
    assert (unseen == again[0]).all() and (answered == again[1]).all()


@pytest.fixture
def index(tmp_path):
    """Forty things of which only those in red, blue and green are in the index."""
    things = [(colour, thing) for colour in COLOURS for thing in THINGS]
    entities = [
        Entity(id=f"{colour}-{thing}", title=f"the {colour} {thing}", world="town")
        for colour, thing in things[:24]
    ]
    index = Index.create(tmp_path / "index", entities, model="bm25")
    lines = []
    for colour, thing in things:
        gold = f"{colour}-{thing}" if colour in COLOURS[:3] else None
        line = {"left": "They saw", "mention": f"{colour} {thing}", "right": ".", "gold": gold}
        lines += [json.dumps(line)] * 2
    (tmp_path / "m.jsonl").write_text("\n".join(lines))
    return index


def calibrated(index, *more) -> int:
    path = index.folder.parent / "m.jsonl"
    return main(["index", "calibrate", str(index.folder), str(path), *more])


def test_what_is_not_in_the_index_is_none_of_these(index, capsys):
    ask = [Mention("red gate"), Mention("white gate")]
    before = index.retrieve(ask, 3)
    assert [one.probability for found in before for one in found] == [None] * 6
    assert calibrated(index) == 0
    said = capsys.readouterr().out
    assert said.startswith("80 mentions, 48 with an entity in the index. Cross")
    assert "every mention answered  precision 60.0%  recall 100.0%" in said
    assert "precision 100.0%  recall 100.0%  F1 100.0%\nnone of these" in said
    fresh = Index.open(index.folder)
    (red, *others), (white, *_) = fresh.retrieve(ask, 3)
    assert white.probability < fresh.threshold <= red.probability <= 1
    assert {one.probability for one in others} == {None}
    assert fresh.retrieve(ask, 1) == [[red], [white]]  # the second is compared, asked for or not
    assert index.refresh().threshold == fresh.threshold and fresh.refresh() is fresh
    main(["query", str(index.folder), "[[red gate]] and [[white gate]]", "--json"])
    answers = [json.loads(line)["answer"] for line in capsys.readouterr().out.splitlines()]
    assert answers == ["red-gate", None]


def test_it_stays_after_a_change_and_not_for_another_model(index, capsys):
    assert calibrated(index) == 0
    index.add([Entity(id="new", title="the new quay", world="town")])
    assert Index.open(index.folder).threshold is not None
    path = index.folder / FILE
    made = json.loads(path.read_text())
    path.write_text(json.dumps({**made, "fingerprint": "another"}))
    with pytest.raises(InputError, match="another model or other settings. Calibrate again"):
        Index.open(index.folder)
    path.write_text("{}")
    with pytest.raises(InputError, match="not a calibration of this version"):
        Index.open(index.folder)
    assert calibrated(index) == 0
    assert Index.open(index.folder).threshold is not None


@pytest.mark.parametrize(
    "lines, more, said",
    [
        ([], ["--precision", "1.5"], "--precision 1.5: expected a share, such as 0.9"),
        ([{}], [], "m.jsonl, line 1: no gold entity. Calibration needs it of every"),
        ([{"gold": "red-gate"}], [], "right for 1 mention and wrong for 0; at least 10 of"),
        ([{"mention": "zebra", "gold": None}], [], "right for 0 mentions and wrong for 0; at"),
        (
            [{"gold": "red-gate"}] * 10 + [{"gold": None}] * 30,
            ["--precision", "0.9"],
            "--precision 0.9: no threshold reaches it. Ask for less, or give more mentions.",
        ),
    ],
)
def test_what_nothing_can_be_learnt_from(index, capsys, lines, more, said):
    text = "\n".join(json.dumps({**MENTION, **line}) for line in lines)
    if lines:
        (index.folder.parent / "m.jsonl").write_text(text)
    assert calibrated(index, *more) == 2
    assert said in capsys.readouterr().err
    assert not (index.folder / FILE).exists()


def test_golds_that_are_not_there_and_none_without_one_are_told(index, capsys):
    path = index.folder.parent / "m.jsonl"
    lines = path.read_text().replace("null", '"lost"').splitlines()
    path.write_text("\n".join(lines))
    assert calibrated(index) == 0
    assert (
        "gold entities that are not in the index, and count as none: of 32 mentions"
        in capsys.readouterr().err
    )
    path.write_text("\n".join([*lines[:48], *[lines[0].replace("red gate", "blue lamp")] * 12]))
    assert calibrated(index) == 0
    assert "every mention has an entity in the index: the prob" in capsys.readouterr().err


def test_a_mention_without_a_candidate_is_not_found_or_is_left_out(index, capsys):
    path = index.folder.parent / "m.jsonl"
    golds = ["red-gate"] * 12 + [None, "lost"]
    lines = [json.dumps({**MENTION, "mention": "zebra", "gold": gold}) for gold in golds]
    path.write_text("\n".join([path.read_text(), *lines]))
    assert calibrated(index) == 0
    said = capsys.readouterr()
    assert said.out.startswith("92 mentions, 60 with an entity in the index.")
    assert "every mention answered  precision 60.0%  recall 80.0%" in said.out
    assert "no word shared with any entity: 14 mentions. Of those with an entity" in said.err
    assert "which count as not found, there are 12, of others" in said.err
