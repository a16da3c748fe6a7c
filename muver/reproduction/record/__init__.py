"""Numbers of record: the page that shows them, and a run held against them."""
