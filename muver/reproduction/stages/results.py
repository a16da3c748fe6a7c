"""Stages that score runs and show results, and those that tidy up."""

from pathlib import Path

from muver.reproduction.stages.stage import CONFIG, COUNTS, Stage, option, optional, switch

EVALUATIONS = "JSON files from muver evaluate, with the ranks beside each"
PRINT = switch("--print", "print the table as well", to="show")

RESULTS = (
    Stage(
        "evaluate",
        "score a run: recall@k and its intervals, ranks of the gold entities, TREC files",
        "muver.retriever.evaluation.stage:evaluate",
        (
            option("--system", "name of the system that made the run", type=str),
            option("--dataset", "name of the dataset", type=str),
            option("--set", "a split, or a set such as msnbc", to="name", type=str),
            option("--run", "from muver retrieve"),
            option("--run-manifest", "the run's manifest"),
            option("--mentions", "Parquet from muver corpus or muver link"),
            optional("--entities", "of worlds: entities.parquet, from `muver corpus`"),
            optional("--sentences", "of worlds: sentences.parquet, from `muver segment`"),
            optional("--counts", "of worlds: counts.json, from `muver corpus`"),
            optional("--kb", "in their place: folder that `muver kb` wrote"),
            optional("--report", "with --kb: JSON from `muver link`"),
            optional(
                "--encoder",
                "manifest of the start encoder, whose identity joins the row's settings",
            ),
            optional("--choice", "training log of a model that was chosen among several"),
            option(
                "--out", "JSON file to write; the gold entities' ranks go beside it, as .parquet"
            ),
            switch(
                "--trec", "write the run and the gold entities for TREC's tools as well, beside it"
            ),
        ),
        """--system muver --dataset miniwikia --set test --run muver.parquet
  --run-manifest muver.json --mentions mentions.parquet --entities entities.parquet
  --sentences sentences.parquet --counts counts.json --settings '{"cutoffs": [1, 64],
  "resample": "documents", "row": {"system": "muver", "retrieve": {"k": 64, "match": "title"}}}'
  --out evaluations/muver.json""",
        settings="muver.retriever.evaluation.settings:Scoring",
        about="row: all settings of the row, with the retrieve section that the run must have "
        "been made with, and index: null or the settings of its index; agreement: what an index "
        "needs",
        label="system and set",
    ),
    Stage(
        "table",
        "make a table, the paper's or our own, from evaluations",
        "muver.reproduction.tables.stage:make_table",
        (
            option(
                "--name",
                "table1 to table6, or another name for a comparison of rows whose settings have "
                "a caption",
                type=str,
            ),
            option(
                "--evaluations",
                f"{EVALUATIONS}, one a system and set; table4, table5: none",
                nargs="*",
                default=[],
            ),
            optional(
                "--counts",
                "from muver corpus: what table4 is made of; others learn from it which worlds "
                "have no mentions",
            ),
            optional("--encoder", "table5: directory of the encoder in use, for its own row"),
            option("--out", "CSV file; .md, .html, .tex and .json come beside it"),
            PRINT,
        ),
        """--name table1 --evaluations blink.json muver.json --out results/table1.csv
  --settings '{"rows": [{"method": "BLINK", "system": "blink"}, {"method": "MuVER",
  "system": "muver"}], "against": "blink"}'""",
        settings="json",
        about='{"rows": [{"method": "BM25", "system": "bm25", "repeats": [...]}, ...], "against": '
        'SYSTEM} in the table\'s order; table2: also "sets"; table3: rows with merge_layers and '
        'search, "cutoff"; table4: "source"',
    ),
    Stage(
        "figure",
        "draw a figure: errors by length of description, recall by number of views",
        "muver.reproduction.figures.stage:make_figure",
        (
            option("--name", "what its files are called", type=str),
            option(
                "--evaluations",
                f"errors by length of description: {EVALUATIONS}, of two systems",
                either=True,
                nargs="+",
                metavar="FILE",
            ),
            option(
                "--table",
                "recall by number of views: the JSON of table3",
                either=True,
                metavar="FILE",
            ),
            optional("--out", "of --evaluations: CSV file; .json comes beside it"),
            option("--figures", "folder for the .svg and .png", metavar="DIR"),
        ),
        """--name figure2 --evaluations blink.json muver.json --out results/figure2.csv
  --figures results/figures --settings '{"rows": [{"method": "BLINK", "system": "blink"},
  {"method": "MuVER", "system": "muver"}], "cutoff": 64, "bin": 5, "last": 100}'""",
        settings="json",
        about='of --evaluations: {"rows": [{"method": "BLINK", "system": "blink"}, {...}], '
        '"cutoff": 64, "bin": 5, "last": 100}',
    ),
    Stage(
        "grid",
        "compare the points of the grid by their validation recall and choose one",
        "muver.reproduction.grid.table:make_grid",
        (
            option(
                "--logs",
                "training logs, each named after its trial; the rows stand in this order",
                nargs="+",
            ),
            option("--dataset", "name of the dataset", type=str),
            COUNTS,
            optional(
                "--encoder",
                "manifest of the start encoder, whose identity joins each point's settings",
            ),
            option("--out", "CSV file; .md, .html, .tex and .json come beside it"),
            PRINT,
        ),
        """--logs grid/muver_lr1e-05_wd0.01_wu0.1_bs32.jsonl
  grid/muver_lr5e-05_wd0.01_wu0.1_bs32.jsonl
  --settings '{"grid": {"models": ["muver"], "learning_rate": [1e-5, 5e-5],
  "weight_decay": [0.01], "warmup": [0.1], "batch_size": [32]},
  "base": {"muver": {"training": {"validation_cutoff": 64}}}}'
  --dataset miniwikia --counts counts.json --out results/grid.csv""",
        settings="muver.reproduction.grid.settings:GridTable",
        about="the section 'grid', and the settings of each of its models as base",
    ),
    Stage(
        "agree",
        "compare two runs of the same mentions: equal lists, common candidates, scores",
        "muver.retriever.evaluation.agreement:compare_runs",
        (
            option("first", "run file, from muver retrieve", metavar="RUN"),
            option("second", "run file, from muver retrieve", metavar="RUN"),
            optional("--out", "JSON file to write as well", metavar="FILE"),
        ),
        "fp32/muver.parquet bf16/muver.parquet --out agreement.json",
        note="Shows what a change that should keep the ranking does to it: another precision, a "
        "quantised or approximate index. What it does to recall stands in the two rows' tables.",
    ),
    Stage(
        "record",
        "record each row of a table, or each point of the grid, as an MLflow run",
        "muver.reproduction.tracking.record:record_all",
        (
            switch(
                "--keep-going",
                "where rows cannot be recorded say so, leave a file beside the list of runs that "
                "tells it, and end well",
            ),
        ),
        """--settings '{"tables": [{"table": "results/table1.json", "experiment": "table1",
  "evaluations": ["blink.json", "muver.json"], "runs": ["blink.parquet", "muver.parquet"],
  "out": "recorded.csv"}]}'""",
        settings="muver.reproduction.tracking.settings:Recordings",
        about="each names table (or grid) and out; evaluations, runs, artifacts, benchmarks, "
        "figures or logs, which its rows are recorded from; experiment, enabled, source, options",
    ),
    Stage(
        "audit",
        "open MLflow's pages on the recorded rows, for this machine alone",
        "muver.reproduction.tracking.audit:audit",
        (
            option("--port", "where it listens, default 5000", type=int, default=5000),
            switch("--browser", "open the first table in the browser as well"),
            option(
                "--list",
                "only say where each table's runs are, start nothing",
                to="serve",
                action="store_false",
            ),
            option(
                "--recorded",
                "folder below which `muver record` wrote its lists of runs, default build",
                default=Path("build"),
            ),
        ),
        "--list",
    ),
    Stage(
        "results-page",
        "write the page of record, docs/results.md, or some tables of another page, from results",
        "muver.reproduction.results_page.section:write_section",
        (
            option(
                "--project",
                "the run's project folder, with params.yaml, results/ and logs/ (default: here)",
                default=Path("."),
                metavar="DIR",
            ),
            CONFIG,
            option(
                "--command",
                "what was typed to make the results (default: make results)",
                type=str,
                nargs="+",
                default=["make results"],
                metavar="LINE",
            ),
            option(
                "--out",
                "page whose section of this dataset is replaced; all else of it stays",
                default=Path("docs/results.md"),
                metavar="FILE",
            ),
            option(
                "--only",
                "results that the section has (default: all that are in results/DATASET)",
                type=str,
                nargs="+",
                default=[],
                metavar="NAME",
            ),
            switch(
                "--uncommitted",
                "write it although code, workflow or params.yaml differ from the commit",
            ),
        ),
        """--command 'snakemake --cores all results/fidelity.csv' --only fidelity
  --out docs/fidelity.md""",
    ),
    Stage(
        "show",
        "print tables with the paper's contrasts in words",
        "muver.reproduction.tables.shown:show",
        (
            option(
                "names",
                "tables that were made (default: table1)",
                type=str,
                nargs="*",
                default=["table1"],
                metavar="TABLE",
            ),
            option("--results", "folder of the tables", default=Path("results"), metavar="DIR"),
        ),
        "table1 table6",
    ),
    Stage(
        "metrics",
        "write the numbers and curves of results as DVC compares them",
        "muver.reproduction.metrics.stage:write_metrics",
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
  --metrics metrics --plots plots""",
    ),
    Stage(
        "report",
        "make one page of tables, figures, times and single predictions, which opens anywhere",
        "muver.reproduction.report.stage:make_report",
        (
            option("--results", "folder of the tables, results/DATASET", metavar="DIR"),
            optional(
                "--workspace",
                "what was built; by default build/DATASET/current of the tables' dataset",
                metavar="DIR",
            ),
            optional("--logs", "the logs; by default logs/DATASET", metavar="DIR"),
            option("--out", "the page to write"),
        ),
        """--results results/miniwikia --settings '{"mentions": 500, "candidates": 5}'
  --out report.html""",
        settings="muver.reproduction.report.settings:Report",
        about="what to show, and how much the page may hold",
    ),
    Stage(
        "run",
        "make tables and figures in the present folder, as snakemake does in a clone",
        "muver.reproduction.workspace.snakemake_call:run",
        (
            option(
                "results",
                "names such as table1, or files; none for all that params.yaml lists",
                type=str,
                nargs="*",
                metavar="RESULT",
            ),
            CONFIG,
            option("--cores", "how many to use", type=str, default="all"),
            option("--dry-run", "only say what would be done", action="store_true"),
            option(
                "--profile",
                "of the workflow's own (slurm), or a folder with one",
                type=str,
                default="default",
            ),
            option("--print", "print the Snakefile's place", to="show", action="store_true"),
        ),
        "table1 --config preset=zeshel_small --cores 8",
    ),
    Stage(
        "asked",
        "list what params.yaml asks of each DVC stage, in build/DATASET/asked",
        "muver.reproduction.workspace.dvc:list_asked",
        (CONFIG,),
        "--config preset=miniwikia",
    ),
    Stage(
        "prune",
        "show what was made and params.yaml no longer asks for, with its size, and remove it",
        "muver.reproduction.workspace.current:prune",
        (CONFIG, switch("--remove", "remove it; without this, only show")),
        "--config preset=miniwikia --remove",
    ),
    Stage(
        "unlock",
        "remove a lock that a killed run left in a working folder",
        "muver.reproduction.workspace.locking:unlock",
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
