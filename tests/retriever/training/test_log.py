"""Reading training logs."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.retriever.training.log import kept_validation, read_log
from tests.reproduction.grid.conftest import write_log


def test_the_first_step_with_the_greatest_recall(tmp_path: Path):
    log = write_log(tmp_path / "log.jsonl", (10.0, 40.0, 40.0, 30.0))
    assert kept_validation(log, 8) == (40.0, 4)
    assert [line["step"] for line in read_log(log)] == [1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 8]


def test_the_last_state_where_it_was_kept(tmp_path: Path):
    log = write_log(tmp_path / "log.jsonl", (10.0, 40.0, 30.0))
    log.write_text(log.read_text() + '{"last_step": 6, "last_validation_recall_at_8": 30.0}\n')
    assert kept_validation(log, 8) == (30.0, 6)


STEP = '{"step": 1, "loss": 2.0}\n'


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (None, "cannot be read"),
        *((STEP + line + "\n", "line 2: expected a JSON") for line in ('{"step": 1', "[1]", "")),
        (STEP, "no validation_recall_at_64 .* no validation at all"),
        (STEP + '{"step": 1, "validation_recall_at_8": 9.0}\n', "at_64.*validation_recall_at_8"),
    ],
)
def test_what_is_no_log_with_this_cutoff(tmp_path: Path, content: str | None, named: str):
    log = tmp_path / "log.jsonl"
    if content:
        log.write_text(content)
    with pytest.raises(InputError, match=rf"log\.jsonl.*{named}"):
        kept_validation(log, 64)


def test_notes_on_the_whole_run_are_no_steps(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"step": 1, "loss": 2.0}\n{"best_step": 1}\n')
    assert read_log(log) == [{"step": 1, "loss": 2.0}]
