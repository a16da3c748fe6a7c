"""The paper's tables from evaluations: built as data, then written for programs and for people."""

from muver.tables.keys import row_key

__all__ = ["row_key"]
