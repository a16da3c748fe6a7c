"""Equality with the released system, by recordings of it: `make parity MUVER_REFERENCE=DIR`.

DIR is a recording, or holds one for each world. Without it the test is skipped.
MUVER_REFERENCE_ENCODER is the BERT directory that the recordings were made with. `.ci/run` sets
both where there are recordings beside the checkout.
"""

import os
from pathlib import Path

import pytest

from tests.reference.replay import KINDS, compare
from tests.reference.replay.recording import read_recording

FOLDER = os.environ.get("MUVER_REFERENCE")


@pytest.mark.skipif(not FOLDER, reason="MUVER_REFERENCE names no recordings")
def test_our_pipeline_is_the_released_one(subtests):
    folders = sorted(path.parent for path in Path(FOLDER).rglob("inputs.json.gz"))
    assert folders, f"no inputs.json.gz in or below {FOLDER}"
    for folder in folders:
        report = compare(read_recording(folder), Path(os.environ["MUVER_REFERENCE_ENCODER"]))
        assert len(report) == KINDS
        for kind, tally in report.items():
            with subtests.test(f"{folder.name}, {kind}: {tally}"):
                assert tally.agrees, tally.first
