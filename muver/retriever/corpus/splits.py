"""The splits that a dataset's worlds and mentions belong to."""

SPLITS = ("train", "val", "test")
