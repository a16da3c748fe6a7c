"""The paper's tables: built as data from evaluations, then written for programs and people."""

from muver.reproduction.tables.keys import row_key

__all__ = ["row_key"]
