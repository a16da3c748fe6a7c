"""The paper's claims as data, and whether our runs bear them out."""
