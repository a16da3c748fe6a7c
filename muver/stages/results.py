"""Stages that score runs and show results, and those that tidy up."""

from pathlib import Path

from muver.stages.stage import Stage, option

RESULTS = (
    Stage(
        "metrics",
        "write the numbers and curves of results as DVC compares them",
        "muver.metrics.stage:write_metrics",
        (
            option("--tables", "JSON of tables of recall", nargs="*", default=[], metavar="FILE"),
            option("--curves", "JSON of what is drawn", nargs="*", default=[], metavar="FILE"),
            option(
                "--metrics",
                "folder for <result>/<row>.json; anything else in it is removed",
                metavar="DIR",
            ),
            option(
                "--plots", "folder for <result>.csv; anything else in it is removed", metavar="DIR"
            ),
        ),
        """--tables results/table1.json --curves results/figure2.json
  --metrics results/metrics --plots results/plots""",
    ),
    Stage(
        "report",
        "make one page of tables, figures, times and single predictions, which opens anywhere",
        "muver.report.stage:make_report",
        (
            option("--results", "folder of the tables", default=Path("results"), metavar="DIR"),
            option(
                "--workspace",
                "what was built; by default build/DATASET of the tables' dataset",
                required=False,
                metavar="DIR",
            ),
            option("--logs", "the logs; by default logs/DATASET", required=False, metavar="DIR"),
            option("--out", "the page to write", default=Path("results/report.html")),
        ),
        """--results results --settings '{"mentions": 500, "candidates": 5}'
  --out results/report.html""",
        settings="muver.report.settings:Report",
        about="what to show, and how much the page may hold",
    ),
    Stage(
        "prune",
        "remove from a folder the results of models or systems that are no longer asked for",
        "muver.io.pruning:prune",
        (
            option("--folder", "folder to prune; made if there is none"),
            option(
                "--keep",
                "what to keep: files without suffix, or folders, below the folder",
                nargs="*",
                default=[],
                type=str,
                metavar="PATH",
            ),
        ),
        "--folder build/miniwikia/stores/test --keep muver blink_128",
    ),
    Stage(
        "unlock",
        "remove a lock that a killed run left in a working folder",
        "muver.workspace.locking:unlock",
        (
            option(
                "--directory",
                "the folder that holds .snakemake (default: this one)",
                to="folder",
                default=Path("."),
            ),
        ),
        "--directory .",
    ),
)
