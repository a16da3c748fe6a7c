"""Stages that ask an index of one's own entities, and that make it answer well."""

from muver.reproduction.stages.indexes import INDEX, QDRANT
from muver.reproduction.stages.stage import Stage, option

FORMAT = option(
    "--format",
    "text, json-lines or conll; by default told by the file's ending, or its first line",
    to="form",
    type=str,
    required=False,
    metavar="NAME",
)
K = option("-k", "candidates of a mention (default: 10)", type=int, default=10, metavar="N")

QUERIES = (
    Stage(
        "query",
        "find the entities of mentions, and print them",
        "muver.kb.index.query:query",
        (
            option("index", "folder of `muver index create`, or JSON of a row", metavar="INDEX"),
            option(
                "text",
                "text with its mentions marked: 'In spring [[the smith]] forged it.'; - reads "
                "standard input",
                type=str,
                nargs="?",
                either=True,
                metavar="TEXT",
            ),
            option(
                "--mentions",
                "file of mentions: marked text, JSON lines (left, mention, right, world, gold) or "
                "CoNLL; - is standard input",
                type=str,
                either=True,
                metavar="FILE",
            ),
            FORMAT,
            option(
                "--ner",
                "pipeline of spaCy that finds the mentions in plain text, such as en_core_web_sm",
                type=str,
                required=False,
                metavar="PIPELINE",
            ),
            option(
                "--world",
                "of mentions that name none",
                type=str,
                required=False,
                metavar="NAME",
            ),
            K,
            QDRANT,
            option("--json", "a line of JSON a mention", to="as_json", action="store_true"),
        ),
        "harbour-index 'In spring [[the smith]] forged the gate.' -k 5",
        note="docs/own-data.md says how mentions are written, and what the JSON has.",
    ),
    Stage(
        "index calibrate",
        "find out from labelled mentions how likely answers are right, and when none is",
        "muver.kb.index.calibrate:calibrate_index",
        (
            INDEX,
            option(
                "mentions",
                "file of mentions with gold entities, some of them null (none is right); - reads "
                "standard input",
                type=str,
                metavar="MENTIONS",
            ),
            FORMAT,
            option(
                "--precision",
                "answer only so often that this share of the answers is right, such as 0.9; by "
                "default as gives the highest F1",
                type=float,
                required=False,
                metavar="SHARE",
            ),
        ),
        "harbour-index validation.jsonl --precision 0.9",
        note="Then `muver query` answers 'none of these' where the probability is too low.",
    ),
    Stage(
        "index package",
        "register an index as a model of MLflow, which answers as muver query --json does",
        "muver.reproduction.tracking.package:package",
        (
            INDEX,
            option(
                "--name",
                "of the registered model (default: the folder's)",
                type=str,
                required=False,
                metavar="NAME",
            ),
            option(
                "--run",
                "id of the run in which the index's encoder was trained, where it can't be found "
                "by its fingerprint",
                type=str,
                required=False,
                metavar="RUN",
            ),
        ),
        "harbour-index --name harbour",
        note="The store is MLFLOW_TRACKING_URI, by default mlflow.db in this folder.",
    ),
)
