"""KILT's knowledge source, one file of JSON lines, read into a knowledge base in parts."""
