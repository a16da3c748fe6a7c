"""The paper's tables: built as data from evaluations, then written for programs and people."""

from muver.tables.keys import row_key

__all__ = ["row_key"]
