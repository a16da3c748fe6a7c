"""The key of an artifact: what decides its content changes it, and nothing else does."""

from dataclasses import replace

import pytest

from muver.reproduction.workspace.artifact import Artifact, with_origins


def made(kind="models", name="muver", settings=None, free=None, **inputs):
    return Artifact(
        "build/x", kind, name, "rule", ["/a.json", "/b.npy"], settings or {}, inputs, free or {}
    )


START = made("start", "")
MODEL = made(settings={"seed": 1}, free={"threads": 1}, start=START, texts=["t1.json", "t2.json"])


def test_files_are_named_by_the_key():
    assert MODEL.id == f"muver-{MODEL.key}"
    assert MODEL.files == [f"build/x/models/{MODEL.id}/a.json", f"build/x/models/{MODEL.id}/b.npy"]
    assert START.files[0] == f"build/x/start/{START.key}/a.json"
    assert MODEL["/b.npy"].path == MODEL.files[1]
    assert made(name="test/muver").label == "muver"


@pytest.mark.parametrize(
    "other",
    [
        replace(MODEL, settings={"seed": 2}),
        replace(MODEL, kind="runs"),
        replace(MODEL, name="other"),
        replace(MODEL, inputs={**MODEL.inputs, "start": made("start", "", {"scratch": {}})}),
        replace(MODEL, inputs={**MODEL.inputs, "start": START["/a.json"]}),
        replace(MODEL, inputs={**MODEL.inputs, "texts": ["t1.json"]}),
        replace(MODEL, inputs={"start": START}),
    ],
)
def test_what_decides_the_content_changes_the_key(other):
    assert other.key != MODEL.key


def test_threads_and_a_copy_keep_the_key():
    same = [replace(MODEL, free={"threads": 8}), replace(MODEL)]
    assert {one.key for one in same} == {MODEL.key}


def test_a_change_far_below_reaches_every_key_above():
    other = replace(MODEL, inputs={**MODEL.inputs, "start": made("start", "", {"seed": 5})})
    assert made("runs", model=MODEL).key != made("runs", model=other).key


def test_what_a_checksum_pins_needs_no_key():
    pinned = Artifact("build/x", "raw", "kilt.json", "fetch", [""], pinned=True)
    assert pinned.files == ["build/x/raw/kilt.json"]


def test_inputs_are_paths_one_for_a_file_and_many_for_the_rest():
    run = made("runs", model=MODEL, entities=START["/a.json"], given="own.json", many=["x", "y"])
    assert run.input_files == {
        "model": MODEL.files,
        "entities": START.files[0],
        "given": "own.json",
        "many": ["x", "y"],
    }


def test_origins_come_first_and_once():
    run = made("runs", model=MODEL, start=START)
    assert with_origins([run, MODEL]) == [START, MODEL, run]
