"""The steps that are timed are commands as the stages take them."""

import numpy as np

from benchmarks.kb_memory import encoding, prepare, steps, texts
from muver.cli import main
from tests import tiny


def test_every_step_runs(encoder, tmp_path):
    model = tmp_path / "model"
    tiny.make_model(encoder, views=tiny.SENTENCE_VIEWS).save_pretrained(model)
    prepare(300, tmp_path, workers=1)
    for arguments in steps(tmp_path, workers=1, part_megabytes=1).values():
        assert not main(arguments)
    assert not main(texts(tmp_path))
    assert not main(encoding(model, tmp_path, threads=1))
    assert len(np.load(tmp_path / "vectors/part-00000.npy")) > 300
