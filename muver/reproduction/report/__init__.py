"""One page of everything a run made: tables, figures, and its predictions one by one."""
