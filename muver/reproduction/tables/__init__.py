"""The paper's tables: built as data from evaluations, then written for programs and people."""
