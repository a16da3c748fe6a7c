"""Public wikis whose pages are files of a git repository, as a dataset in ZESHEL's format."""
