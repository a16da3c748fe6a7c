"""Stages on knowledge bases of one's own."""

from muver.reproduction.stages.stage import Stage, option, optional

KNOWLEDGE_BASES = (
    Stage(
        "kb import",
        "read a knowledge base of any usual form into a canonical one",
        "muver.kb.importing.build:import_kb",
        (
            option("sources", "files, which may be compressed", nargs="+", metavar="SOURCE"),
            option("--out", "folder for entities.parquet and manifest.json, which has the counts"),
            optional(
                "--format",
                "json-lines, csv, parquet, mediawiki, rdf, obo, wikidata, linked, kilt, blink or "
                "zeshel; by default told by the file's ending",
                to="form",
                type=str,
                metavar="NAME",
            ),
            optional(
                "--world",
                "of entities whose source names none; by default the file's name",
                type=str,
                metavar="NAME",
            ),
            option(
                "--map",
                "which column is which, where its name doesn't tell: id, title, description, "
                "aliases, world",
                to="columns",
                type=str,
                nargs="+",
                default=[],
                metavar="NAME=COLUMN",
            ),
            option(
                "--where",
                "of Wikidata: which entities to keep; several conditions must all hold. P31=Q5: "
                "instances of humans; P31=Q5|Q43229; P625: whatever has coordinates",
                type=str,
                nargs="+",
                default=[],
                metavar="PROPERTY=ITEM",
            ),
            optional(
                "--mentions",
                "of a wiki: folder for a dataset in ZESHEL's format, whose mentions are the links",
                metavar="FOLDER",
            ),
            option(
                "--workers", "processes, for wikis and Wikidata", type=int, default=1, metavar="N"
            ),
        ),
        """products.csv --out kb --map title=product id=sku
  --settings '{"separator": ";", "longest": 100000}'""",
        settings="muver.kb.importing.settings:Import",
        note="docs/own-data.md has a section for each form.",
    ),
)
