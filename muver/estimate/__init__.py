"""What the workflow's jobs compute, hold and write: time, memory and disk before a run begins."""
