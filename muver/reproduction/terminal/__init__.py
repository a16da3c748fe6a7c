"""What a run of the workflow says in a terminal, or in a file that stands in for one."""
