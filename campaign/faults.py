"""What the campaign found, and the test that fails without the mend. An entry is never removed."""

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault, in a sentence, with the test of its mend or why there is none."""

    section: str
    what: str
    mended: str


FAULTS = [
    Fault(
        "commands",
        "A killed change of an index left a `.tmp` file among the segments until `compact`",
        "the next change removes it: `tests/kb/index/test_mistakes.py`",
    ),
]
