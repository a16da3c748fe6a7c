"""What is wrong: two runs that differ and why, and whether this machine can do what is asked."""
