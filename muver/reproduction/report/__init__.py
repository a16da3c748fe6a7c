"""One page of everything a run made: tables, figures, times, and its predictions one by one."""
