"""How often Python looks for garbage."""

import subprocess
import sys

COUNT = """
import gc
from muver.io.garbage import collect_seldom
looked = 0
def count(phase, found):
    global looked
    looked += phase == "start"
gc.callbacks.append(count)
{do}
many = [[] for _ in range(20_000)]
print(looked)
"""
LAST = """
import atexit, gc
from muver.io.garbage import collect_seldom
many = [[] for _ in range(20_000)]
atexit.register(lambda: print(len(gc.get_objects())))  # those that would be looked through
{do}
"""


def number(code):
    """What a process prints that runs a piece of code."""
    return int(subprocess.check_output([sys.executable, "-c", code]))


def test_objects_that_stay_are_not_looked_through_again_and_again():
    assert number(COUNT.format(do="")) >= 10
    assert number(COUNT.format(do="collect_seldom()")) == 0


def test_none_are_looked_through_at_the_end():
    assert number(LAST.format(do="")) > 20_000
    assert number(LAST.format(do="collect_seldom()")) < 100
