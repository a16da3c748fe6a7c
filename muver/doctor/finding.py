"""What a check says."""

from typing import NamedTuple

OK, NOTE, PROBLEM = "ok", "note", "problem"


class Finding(NamedTuple):
    """One answer.

    Attributes
    ----------
    check
        What was looked at.
    status
        "ok"; "note": worth knowing, the run will work; "problem": it will not.
    says
        What was found and what to do.
    """

    check: str
    status: str
    says: str
