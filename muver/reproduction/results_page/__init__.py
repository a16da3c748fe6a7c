"""Results of record: a page of the tables of some runs, and of what made them."""
