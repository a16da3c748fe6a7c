"""Names of the files that segmentation keeps (imports nothing heavy)."""

PUNKT_FILES = (
    "abbrev_types.txt",
    "collocations.tab",
    "ortho_context.tab",
    "sent_starters.txt",
)
