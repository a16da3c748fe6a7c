"""Work in several processes: in order, not far ahead, and what a killed one says."""

import os

import pytest

from muver.io.errors import InputError
from muver.kb.importing.lines import in_order


def double(number):
    return 2 * number


def die(number):
    os._exit(1)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_order_and_little_is_read_ahead(workers):
    read = []

    def numbers():
        for number in range(20):
            read.append(number)
            yield number

    results = in_order(double, numbers(), workers)
    assert next(results) == 0
    assert len(read) <= 2 * workers + 1
    assert list(results) == [2 * number for number in range(1, 20)]


def test_a_process_that_was_killed():
    with pytest.raises(InputError, match="perhaps for want of memory.*fewer --workers"):
        list(in_order(die, [1, 2], 2))
