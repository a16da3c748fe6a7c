"""What a check says."""

from typing import NamedTuple

OK, NOTE, PROBLEM = "ok", "note", "problem"


class Finding(NamedTuple):
    """One answer."""

    check: str  # what was looked at
    status: str  # OK; NOTE: worth knowing, the run will work; PROBLEM: it will not
    says: str  # what was found and what to do
