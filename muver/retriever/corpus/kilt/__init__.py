"""Read KILT's knowledge source, one file of JSON lines, into a knowledge base in parts."""
