"""Equality with the released system, by recordings of it.

Skipped unless MUVER_REFERENCE names the folder of recordings (one folder a world);
MUVER_REFERENCE_ENCODER is the directory of the encoder that they were made with. `.ci/run` sets
both where there are recordings beside the checkout.
"""

import os
from pathlib import Path

import pytest

from muver.reference.replay import compare

FOLDER = os.environ.get("MUVER_REFERENCE")
ENCODER = os.environ.get("MUVER_REFERENCE_ENCODER")


@pytest.mark.skipif(not FOLDER, reason="MUVER_REFERENCE names no recordings")
def test_our_pipeline_is_the_released_one():
    assert ENCODER, "MUVER_REFERENCE_ENCODER names no encoder"
    report = compare(Path(FOLDER), Path(ENCODER))
    assert report.agrees, report.as_text()
    assert all(tally.compared for tally in report.tallies.values())
