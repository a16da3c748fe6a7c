"""Stages that make, change and look at an index of one's own entities."""

from muver.reproduction.stages.stage import Stage, option, optional

INDEX = option("index", "folder of `muver index create`", metavar="INDEX")
SOURCE = option(
    "source",
    "folder of `muver kb import`, or a file that it reads",
    metavar="KB",
)
WORLD = option(
    "--world",
    "of entities in a file that names none; by default the index's only world, or the file's name",
    type=str,
    required=False,
    metavar="NAME",
)
QDRANT = optional(
    "--qdrant",
    "search the entities that `muver index push` brought to this collection; the folder's name is "
    "the collection's if the URL has none",
    type=str,
    metavar="URL",
)
JSON = option("--json", "as JSON", to="as_json", action="store_true")


def _change(name: str, about: str, work: str) -> Stage:
    return Stage(
        f"index {name}", about, f"muver.kb.index.commands:{work}", (INDEX, SOURCE, WORLD),
        "index more.csv",
        note="Only what is new or has changed is encoded. All of it is taken, or nothing.",
    )  # fmt: skip


INDEXES = (
    Stage(
        "index create",
        "make an index of a knowledge base, without training",
        "muver.kb.index.commands:create",
        (
            SOURCE,
            option(
                "--model",
                "a trained model's directory; an encoder, which is taken as it is (a directory, "
                "or a name on the hub); or bm25",
                type=str,
            ),
            option("--out", "folder for the index"),
            option(
                "--views",
                "one view a sentence, one of the whole description, or both; by default what the "
                "model was trained with",
                type=str,
                choices=("sentences", "global", "both"),
                required=False,
            ),
            option(
                "--merge",
                "layers of merged views, 0 to 4 (default: 0)",
                type=int,
                required=False,
                metavar="N",
            ),
            option(
                "--bm25-weight",
                "between 0 and 1: fuse the model's scores with those of BM25, which count so much",
                type=float,
                required=False,
                metavar="W",
            ),
            option(
                "--punkt",
                "folder of Punkt's parameters, which find the sentences, such as `muver segment` "
                "writes; by default English abbreviations",
                required=False,
                metavar="FOLDER",
            ),
            WORLD,
        ),
        """kb --model models/muver --out index --merge 2
  --settings '{"aggregate": {"kind": "log_mean_exp", "temperature": 2}}'""",
        settings="muver.kb.index.settings:Making",
        note="docs/own-data.md explains the choices.",
    ),
    _change("add", "add entities to an index", "add"),
    _change("update", "add entities to an index, in place of those of their ids", "update"),
    Stage(
        "index remove",
        "remove entities from an index",
        "muver.kb.index.commands:remove",
        (
            INDEX,
            option("ids", "ids of entities", type=str, nargs="*", metavar="ID"),
            option(
                "--from",
                "file with an id a line; - is standard input",
                to="file",
                type=str,
                required=False,
                metavar="FILE",
            ),
            option(
                "--world",
                "of the entities, where several worlds have the same ids",
                type=str,
                required=False,
                metavar="NAME",
            ),
        ),
        "index Q42 Q64",
    ),
    Stage(
        "index compact",
        "make an index small after many changes, and remove files that are no longer needed",
        "muver.kb.index.commands:compact",
        (INDEX,),
        "index",
    ),
    Stage(
        "index info",
        "show what an index is made with, and how large it is",
        "muver.kb.index.commands:show",
        (INDEX, JSON),
        "index",
    ),
    Stage(
        "index verify",
        "look whether all files of an index are as they were written",
        "muver.kb.index.commands:verify",
        (INDEX,),
        "index",
    ),
    Stage(
        "index repair",
        "bring a damaged index back to what it was before its last change",
        "muver.kb.index.commands:repair",
        (INDEX,),
        "index",
    ),
    Stage(
        "index push",
        "bring a collection of Qdrant to the entities of an index",
        "muver.kb.index.commands:push",
        (
            INDEX,
            option(
                "qdrant",
                "the collection: http://HOST:6333/NAME; the folder's name without one",
                type=str,
                to="where",
                metavar="URL",
            ),
        ),
        "index http://localhost:6333/glossary",
        note="Then `muver query INDEX --qdrant URL` searches there. A key is taken from "
        "QDRANT_API_KEY. docs/own-data.md says more.",
    ),
    Stage(
        "index evaluate",
        "measure recall@k of an index on mentions whose entities are known",
        "muver.kb.index.evaluate:evaluate",
        (
            INDEX,
            option(
                "mentions",
                "JSON lines with left, mention, right, gold (an id, or null for none of these) and "
                "perhaps world; - is standard input",
                type=str,
                metavar="MENTIONS",
            ),
            option(
                "--cutoffs",
                "the k of recall@k (default: 1 4 16 64)",
                type=int,
                nargs="+",
                default=[1, 4, 16, 64],
                metavar="K",
            ),
            QDRANT,
            JSON,
        ),
        "index mentions.jsonl --cutoffs 1 10",
    ),
)
