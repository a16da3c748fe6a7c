"""The stage that serves indexes."""

from muver.reproduction.stages.indexes import QDRANT
from muver.reproduction.stages.stage import Stage, option

SERVICE = (
    Stage(
        "serve",
        "answer requests over HTTP, with a page to ask and to compare",
        "muver.kb.serve.run:serve",
        (
            option(
                "indexes",
                "what `muver index create` wrote, or a row's index; several are models to compare",
                type=str,
                nargs="+",
                metavar="[NAME=]INDEX",
            ),
            option("--host", "address to listen at", type=str, default="127.0.0.1"),
            option("--port", "0: any that is free", type=int, default=8017),
            option(
                "--token-file",
                "allow changes to whoever shows the token in this file",
                required=False,
                metavar="FILE",
            ),
            QDRANT,
            option(
                "--log-texts", "log what clients ask, not only that they did", action="store_true"
            ),
        ),
        """small=glossary.index large=glossary-large.index --port 8017 --token-file token
  --settings '{"mentions": 32, "k": 100}'""",
        settings="muver.kb.serve.settings:Limits",
        note="docs/serve.md has the routes.",
    ),
)
