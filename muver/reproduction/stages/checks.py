"""Stages that look before a run begins, and at what runs gave."""

from pathlib import Path

from muver.reproduction.stages.stage import CONFIG, Stage, option, optional, switch

PROJECT = (
    CONFIG,
    option(
        "--directory",
        "the project's folder, with params.yaml (default: this)",
        to="folder",
        default=Path("."),
    ),
)
JSON = optional("--json", "write the report for programs", to="out", metavar="FILE")
STATUS = "Ends with 0 if all is well, 1 if something was found, 2 after bad input."

CHECKS = (
    Stage(
        "plan",
        "print the disk, memory and hours that a run will take, by stage",
        "muver.reproduction.estimate.plan:plan",
        (
            *PROJECT,
            optional(
                "--folder", "where the run will write (build/<dataset> of the project)", to="disk"
            ),
            optional("--model", "model or encoder directory: the encoder's sizes"),
            optional("--kb", "knowledge base, or some parts of one: its sizes"),
            optional("--dump", "kilt_knowledgesource.json: its size"),
            switch("--measure", "measure rates on this machine, in some seconds", to="measured"),
            option("--out", "JSON file to write"),
        ),
        """--settings '{"indices": ["hnsw"], "devices": 8}' --out plan.json""",
        settings="muver.reproduction.estimate.settings:Plan",
        about="indices are types to compare",
        settings_to="asked",
    ),
    Stage(
        "doctor check",
        "before a run: what is missing, what does not fit, how long it will take",
        "muver.reproduction.doctor.stage:check_project",
        (
            *PROJECT,
            option(
                "--quick",
                "do not try whether the libraries can be imported, load no torch, measure no rates",
                to="measured",
                action="store_false",
            ),
            JSON,
        ),
        "--config preset=zeshel",
        note=STATUS,
    ),
    Stage(
        "doctor compare",
        "compare two runs of the same mentions: ranks that moved, settings and data that differ",
        "muver.reproduction.doctor.stage:compare_runs",
        (
            option("first", "run file: ours (.parquet) or TREC's", metavar="RUN"),
            option("second", "run file: ours (.parquet) or TREC's", metavar="RUN"),
            optional("--entities", "entities.parquet of the corpus stage"),
            optional("--mentions", "mentions.parquet, for the gold entities"),
            optional("--qrels", "TREC file of the gold entities instead"),
            JSON,
        ),
        """here/muver.parquet there/muver.parquet --settings '{"cutoffs": [1, 64]}'""",
        settings="muver.reproduction.doctor.settings:Comparison",
        note=STATUS,
    ),
    Stage(
        "doctor record",
        "after a run: its rows beside the numbers of record, which lie in docs/results",
        "muver.reproduction.doctor.stage:compare_record",
        (
            *PROJECT,
            switch(
                "--add",
                "add the numbers to those of record, as one more machine's: they widen the spread",
            ),
            JSON,
        ),
        "--config preset=miniwikia",
        note=f"{STATUS} Found is a row of equal key whose numbers lie outside the spread.",
    ),
)
