"""Before a run: whether this machine can do what is asked."""
