"""What can be typed after ``muver``: each command, where its work is done, and an example.

A new command is an entry here; its help is the docstring of the function that it names, its options
are the parameters. The work is imported when the command runs, so that this table is quick to read.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = Path(__file__).parent
STAGE = "stage "  # before the name of a step that the workflow chains


class Command(NamedTuple):
    """An entry of the table."""

    name: str  # one or two words; what workflow/rules call begins with ``stage``
    work: str  # the function that does it, as ``module:function`` inside of the package
    # A call, without ``muver NAME``; goes on over several lines where a shell would. Of a step of
    # the workflow `snakemake -n -p --quiet host` shows one.
    example: str = ""
    says: str = ""  # its help, where the function has no docstring in the module's text

    @property
    def help(self) -> str:
        """One line, without a full stop: the function's docstring begins with it."""
        if self.says:
            return self.says
        definition = f"\ndef {self.work.partition(':')[2]}("
        _, _, function = self.file.read_text(encoding="utf-8").partition(definition)
        sentence = function.split('"""')[1].partition("\n")[0].removesuffix(".")
        return sentence[0].lower() + sentence[1:]

    @property
    def of_workflow(self) -> bool:
        """Whether the workflow calls it: its options may stand in a file, artifacts are sealed."""
        return self.name.startswith(STAGE) or self.name in ("record", "report")

    @property
    def file(self) -> Path:
        """The module in which the work begins."""
        module = PACKAGE.joinpath(*self.work.partition(":")[0].split("."))
        return module / "__init__.py" if module.is_dir() else module.with_suffix(".py")

    def function(self) -> Callable[..., Any]:
        """The function that does the work, imported now."""
        module, _, function = self.work.partition(":")
        return getattr(import_module(f"muver.{module}"), function)


# fmt: off
GROUPS: dict[str, tuple[Command, ...]] = {
    "Your knowledge base": (
        Command("kb import", "kb.importing.build:import_kb",
            """products.csv --out kb --map title=product id=sku
  --settings '{"separator": ";", "longest": 100000}'"""),
        Command("index create", "kb.index.commands:create",
            """kb --model models/muver --out index --merge 2
  --settings '{"aggregate": {"kind": "log_mean_exp", "temperature": 2}}'"""),
        Command("index add", "kb.index.commands:add",
            "index more.csv", says="add entities to an index"),
        Command("index update", "kb.index.commands:update",
            "index more.csv",
            says="add entities to an index, and replace those that have the same ids"),
        Command("index remove", "kb.index.commands:remove", "index Q42 Q64"),
        Command("index compact", "kb.index.commands:compact", "index"),
        Command("index info", "kb.index.commands:show", "index"),
        Command("index verify", "kb.index.commands:verify", "index"),
        Command("index repair", "kb.index.commands:repair", "index"),
        Command("index evaluate", "kb.index.evaluate:evaluate",
            """index mentions.jsonl --cutoffs 1 10
  --settings '{"aggregate": {"kind": "log_mean_exp", "temperature": 2}}'"""),
        Command("index calibrate", "kb.index.calibrating:calibrate_index",
            "harbour-index validation.jsonl --precision 0.9"),
        Command("index tune", "kb.index.tuning:tune_index",
            "harbour-index validation.jsonl --cutoff 10"),
        Command("index set", "kb.index.tuning:set_index",
            """index --weights words=1,views=2
  --settings '{"aggregate": {"kind": "log_mean_exp", "temperature": 2}}'"""),
        Command("query", "kb.index.query:query",
            """harbour-index 'In spring [[the smith]] forged the gate.' -k 5 --where country=NO
  --settings '{"words": {"query": "mention_and_context"}}'"""),
        Command("serve", "kb.serve.run:serve",
            """small=glossary.index large=glossary-large.index --port 8017 --token-file token
  --settings '{"mentions": 32, "k": 100}'"""),
    ),
    "Models": (
        Command("train", "kb.training:train",
            """kb labels.jsonl --encoder sentence-transformers/all-MiniLM-L6-v2 --out models/own
  --settings '{"validation": 0.3, "epochs": 5}'"""),
        Command("export", "retriever.sharing.card:export", "models/muver --to smiths"),
        Command("push", "retriever.sharing.card:push", "models/muver someone/smiths"),
    ),
    "Look at results": (
        Command("show", "reproduction.tables.render:show", "table1 table6"),
        Command("report", "reproduction.report.stage:make_report",
            """--results results/miniwikia --settings '{"mentions": 500, "candidates": 5}'
  --out report.html"""),
        Command("audit", "reproduction.tracking.audit:audit", "--list"),
        Command("record", "reproduction.tracking.record:record_all",
            """--settings '{"tables": [{"table": "results/table1.json", "out": "runs.csv"}]}'"""),
    ),
    "Check and compare": (
        Command("doctor check", "reproduction.doctor.check:check_project",
            "--config preset=zeshel"),
        Command("doctor record", "reproduction.record:compare_record", "--config preset=miniwikia"),
        Command("verify", "io.checksums:verify", "--folder build/miniwikia"),
        Command("prune", "reproduction.workspace.current:prune",
            "--config preset=miniwikia --remove"),
        Command("unlock", "reproduction.workspace.running:unlock", "."),
    ),
    "The shell": (
        Command("completion", "completion:completion", "bash"),
    ),
    "The workflow": (
        Command("run", "reproduction.workspace.running:run",
            "table1 --config preset=zeshel_small --cores 8"),
        Command("stage download", "kb.importing.download:download"),
        Command("stage corpus", "retriever.corpus.zeshel:build_corpus"),
        Command("stage segment", "retriever.views.segment:segment"),
        Command("stage kb", "retriever.corpus.parts:read_dump"),
        Command("stage kb-texts", "retriever.corpus.parts:write_texts"),
        Command("stage link", "retriever.corpus.linking.build:link_set"),
        Command("stage kb-subset", "retriever.corpus.linking.subset:write_subset"),
        Command("stage encoder", "retriever.encoders.start:make_start"),
        Command("stage pretrain", "retriever.training.pretraining:pretrain"),
        Command("stage train", "retriever.training.run:train_model"),
        Command("stage train-cross", "retriever.training.cross:train_cross"),
        Command("stage train-best", "retriever.training.run:train_best"),
        Command("stage choose", "retriever.training.log:choose"),
        Command("stage convert", "retriever.encoders.convert:convert"),
        Command("stage encode", "retriever.encoders.worlds:encode_split"),
        Command("stage encode-part", "retriever.encoders.kb:encode_part"),
        Command("stage encode-mentions", "retriever.encoders.kb:encode_mentions"),
        Command("stage encode-global", "retriever.encoders.worlds:encode_global"),
        Command("stage encode-texts", "retriever.retrieval.signals.texts:encode_texts"),
        Command("stage merge", "retriever.encoders.worlds:merge_store"),
        Command("stage retrieve", "retriever.retrieval.kinds:retrieve"),
        Command("stage ann-build", "retriever.retrieval.ann.index:build"),
        Command("stage ann-index", "retriever.retrieval.ann.check:build_and_check"),
        Command("stage ann-check", "retriever.retrieval.ann.check:check"),
        Command("stage negatives", "retriever.retrieval.negatives:mine"),
        Command("stage index-row", "kb.index.exported:export_row"),
        Command("stage evaluate", "retriever.evaluation.stage:evaluate"),
        Command("stage table", "reproduction.tables.stage:make_table"),
        Command("stage costs", "reproduction.costs:write_costs"),
        Command("stage figure", "reproduction.figures.stage:make_figure"),
        Command("stage grid", "reproduction.tables.grid:make_grid"),
        Command("stage results-page", "reproduction.results_page:write_results_page"),
        Command("stage verdicts", "reproduction.verdicts.stage:write_verdicts"),
        Command("stage metrics", "reproduction.metrics:write_metrics"),
        Command("stage asked", "reproduction.workspace.current:list_asked"),
    ),
}
# fmt: on
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}
# Options that take a name of params.yaml too, and the section with its names.
NAMED = {"model": "models", "index": "systems", "rerank": "models"}


def called(words: Sequence[str]) -> Command | None:
    """The command that typed words begin with, if one is called so."""
    return COMMANDS.get(" ".join(words[:2])) or COMMANDS.get(" ".join(words[:1]))
