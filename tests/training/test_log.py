"""Reading training logs."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.training.log import kept_validation, read_log
from tests.grid.conftest import write_log


def test_the_first_step_with_the_greatest_recall(tmp_path: Path):
    log = write_log(tmp_path / "log.jsonl", (10.0, 40.0, 40.0, 30.0))
    assert kept_validation(log, 8) == (40.0, 4)
    assert [line["step"] for line in read_log(log)] == [1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 8]


def test_the_last_state_where_it_was_kept(tmp_path: Path):
    log = write_log(tmp_path / "log.jsonl", (10.0, 40.0, 30.0))
    log.write_text(log.read_text() + '{"last_step": 6, "last_validation_recall_at_8": 30.0}\n')
    assert kept_validation(log, 8) == (30.0, 6)


def test_another_cutoff_is_refused(tmp_path: Path):
    log = write_log(tmp_path / "log.jsonl", (10.0,))
    with pytest.raises(InputError, match="no validation_recall_at_64.*validation_recall_at_8"):
        kept_validation(log, 64)
    log.write_text('{"step": 1, "loss": 2.0}\n')
    with pytest.raises(InputError, match="but no validation at all"):
        kept_validation(log, 8)


@pytest.mark.parametrize("line", ['{"step": 1', "[1]", ""])
def test_a_broken_line_is_named(tmp_path: Path, line: str):
    log = tmp_path / "log.jsonl"
    log.write_text('{"step": 1, "loss": 2.0}\n' + line + "\n")
    with pytest.raises(InputError, match=r"log\.jsonl, line 2: expected a JSON object"):
        read_log(log)


def test_notes_on_the_whole_run_are_no_steps(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"step": 1, "loss": 2.0}\n{"best_step": 1}\n')
    assert read_log(log) == [{"step": 1, "loss": 2.0}]


def test_a_missing_log_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"log\.jsonl: cannot be read"):
        read_log(tmp_path / "log.jsonl")
