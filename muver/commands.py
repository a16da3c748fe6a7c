"""What can be typed after ``muver``: each command, where its work is done, and an example.

A new command is an entry here; its options are the parameters of the function that it names. The
work is imported when the command runs, so that this table is quick to read.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

STAGE = "stage "  # before the name of a step that the workflow chains


class Command(NamedTuple):
    """An entry of the table."""

    name: str  # one or two words; what workflow/rules call begins with ``stage``
    work: str  # the function that does it, as ``module:function`` inside of the package
    help: str  # one line, without a full stop
    # A call, without ``muver NAME``; goes on over several lines where a shell would. Of a step of
    # the workflow `snakemake -n -p --quiet host` shows one.
    example: str = ""

    @property
    def module(self) -> str:
        """The module in which the work begins, inside of the package."""
        return self.work.partition(":")[0]

    def function(self) -> Callable[..., Any]:
        """The function that does the work, imported now."""
        return getattr(import_module(f"muver.{self.module}"), self.work.partition(":")[2])


# fmt: off
GROUPS: dict[str, tuple[Command, ...]] = {
    "Your knowledge base": (
        Command("kb import", "kb.importing.build:import_kb",
            "read a knowledge base of any usual form into a canonical one",
            """products.csv --out kb --map title=product id=sku
  --settings '{"separator": ";", "longest": 100000}'"""),
        Command("index create", "kb.index.commands:create",
            "make an index of a knowledge base, without training",
            """kb --model models/muver --out index --merge 2
  --settings '{"aggregate": {"kind": "log_mean_exp", "temperature": 2}}'"""),
        Command("index add", "kb.index.commands:add",
            "add entities to an index",
            "index more.csv"),
        Command("index update", "kb.index.commands:update",
            "add entities to an index, and replace those that have the same ids",
            "index more.csv"),
        Command("index remove", "kb.index.commands:remove",
            "remove entities from an index",
            "index Q42 Q64"),
        Command("index compact", "kb.index.commands:compact",
            "make an index small after many changes, and remove files that are no longer needed",
            "index"),
        Command("index info", "kb.index.commands:show",
            "show what an index is made with, and how large it is",
            "index"),
        Command("index verify", "kb.index.commands:verify",
            "look whether all files of an index are as they were written",
            "index"),
        Command("index repair", "kb.index.commands:repair",
            "bring a damaged index back to what it was before its last change",
            "index"),
        Command("index evaluate", "kb.index.evaluate:evaluate",
            "measure recall@k of an index on mentions whose entities are known",
            """index mentions.jsonl --cutoffs 1 10
  --settings '{"aggregate": {"kind": "log_mean_exp", "temperature": 2}}'"""),
        Command("index calibrate", "kb.index.calibrating:calibrate_index",
            "find out from labelled mentions how likely answers are right, and when none is",
            "harbour-index validation.jsonl --precision 0.9"),
        Command("index tune", "kb.index.tuning:tune_index",
            "choose from labelled mentions how much each signal of an index counts",
            "harbour-index validation.jsonl --cutoff 10"),
        Command("index set", "kb.index.tuning:set_index",
            "give an index other weights, or another aggregate, without encoding",
            """index --weights words=1,views=2
  --settings '{"aggregate": {"kind": "log_mean_exp", "temperature": 2}}'"""),
        Command("query", "kb.index.query:query",
            "find the entities of mentions, and print them",
            """harbour-index 'In spring [[the smith]] forged the gate.' -k 5 --where country=NO
  --settings '{"words": {"query": "mention_and_context"}}'"""),
        Command("serve", "kb.serve.run:serve",
            "answer requests over HTTP, with a page to ask and to compare",
            """small=glossary.index large=glossary-large.index --port 8017 --token-file token
  --settings '{"mentions": 32, "k": 100}'"""),
    ),
    "Models": (
        Command("train", "kb.training:train",
            "train a model on labelled mentions of a knowledge base",
            """kb labels.jsonl --encoder sentence-transformers/all-MiniLM-L6-v2 --out models/own
  --settings '{"validation": 0.3, "epochs": 5}'"""),
        Command("export", "retriever.sharing.card:export",
            "write a model so that sentence-transformers loads it to the same vectors",
            "models/muver --to smiths"),
        Command("push", "retriever.sharing.card:push",
            "upload a model to the hub, with a card made from its record",
            "models/muver someone/smiths"),
    ),
    "Look at results": (
        Command("show", "reproduction.tables.render:show",
            "print tables with contrasts in words",
            "table1 table6"),
        Command("report", "reproduction.report.stage:make_report",
            "make one page of tables, figures, times and single predictions, which opens anywhere",
            """--results results/miniwikia --settings '{"mentions": 500, "candidates": 5}'
  --out report.html"""),
        Command("audit", "reproduction.tracking.audit:audit",
            "open MLflow's pages on the recorded rows, for this machine alone",
            "--list"),
        Command("record", "reproduction.tracking.record:record_all",
            "record each row of a table, or each point of the grid, as a run of MLflow",
            """--settings '{"tables": [{"table": "results/table1.json", "out": "runs.csv"}]}'"""),
    ),
    "Check and compare": (
        Command("doctor check", "reproduction.doctor.check:check_project",
            "before a run: what is missing, what does not fit, how long it will take",
            "--config preset=zeshel"),
        Command("doctor record", "reproduction.record:compare_record",
            "after a run: its rows beside the numbers of record, which lie in docs/results",
            "--config preset=miniwikia"),
        Command("verify", "io.checksums:verify",
            "look whether everything in build/ is as it was written",
            "--folder build/miniwikia"),
        Command("prune", "reproduction.workspace.current:prune",
            "show what was made and is no longer asked for, with its size, and remove it",
            "--config preset=miniwikia --remove"),
        Command("unlock", "reproduction.workspace.running:unlock",
            "remove a lock that a killed run left in a working folder",
            "."),
    ),
    "The shell": (
        Command("completion", "completion:completion",
            "print what completes commands, options and names of params.yaml in bash, zsh or fish",
            "bash"),
    ),
    "The workflow": (
        Command("run", "reproduction.workspace.running:run",
            "make tables and figures in the present folder, as snakemake does in a clone",
            "table1 --config preset=zeshel_small --cores 8"),
        Command("stage download", "kb.importing.download:download",
            "fetch a dataset, a declared file or Punkt's English parameters, and verify it"),
        Command("stage corpus", "retriever.corpus.zeshel:build_corpus",
            "check a dataset in ZESHEL's format and write its entities, mentions and counts"),
        Command("stage segment", "retriever.views.segment:segment",
            "split descriptions into sentences with Punkt"),
        Command("stage kb", "retriever.corpus.parts:read_dump",
            "read KILT's knowledge source into a knowledge base in parts"),
        Command("stage kb-texts", "retriever.corpus.parts:write_texts",
            "find the text of each entity of a knowledge base in BLINK's entity.jsonl"),
        Command("stage link", "retriever.corpus.linking.build:link_set",
            "match the mentions of an entity-linking benchmark to the knowledge base"),
        Command("stage kb-subset", "retriever.corpus.linking.subset:write_subset",
            "take from a knowledge base the entities that training and its validation need"),
        Command("stage encoder", "retriever.encoders.start:make_start",
            "make or fetch the BERT that both towers start from"),
        Command("stage pretrain", "retriever.training.pretraining:pretrain",
            "train an encoder on the texts of the training worlds: masked words and inverse cloze"),
        Command("stage train", "retriever.training.run:train_model",
            "train a model, two towers, and keep the checkpoint that the settings say"),
        Command("stage train-cross", "retriever.training.cross:train_cross",
            "train a cross-encoder, which reranks what another row retrieves"),
        Command("stage train-best", "retriever.training.run:train_best",
            "train several models for a share of their steps, and the best one to the end"),
        Command("stage choose", "retriever.training.log:choose",
            "choose one of several trained models by validation recall"),
        Command("stage convert", "retriever.encoders.convert:convert",
            "convert a released checkpoint (a pickled state dict of two towers) to a model"),
        Command("stage encode", "retriever.encoders.worlds:encode_split",
            "encode the entities and mentions of a split into a view store"),
        Command("stage encode-part", "retriever.encoders.kb:encode_part",
            "encode the views of one part of a knowledge base"),
        Command("stage encode-mentions", "retriever.encoders.kb:encode_mentions",
            "encode the mentions that `muver stage link` matched to a knowledge base"),
        Command("stage encode-global", "retriever.encoders.worlds:encode_global",
            "encode one view of each entity's whole description, beside those of a store"),
        Command("stage encode-texts", "retriever.retrieval.signals.texts:encode_texts",
            "encode what signals compare of a split: mentions, contexts, titles, descriptions"),
        Command("stage merge", "retriever.encoders.worlds:merge_store",
            "merge views, layer by layer, and encode the merged ones"),
        Command("stage retrieve", "retriever.retrieval.kinds:retrieve",
            "rank entities for each mention, with a retriever of one of the kinds"),
        Command("stage ann-build", "retriever.retrieval.ann.index:build",
            "build a faiss index of the views of a knowledge base, from shards on disk"),
        Command("stage ann-check", "retriever.retrieval.ann.check:check",
            "compare indices with exact search on a sample, and choose their nprobe or efSearch"),
        Command("stage negatives", "retriever.retrieval.negatives:mine",
            "mine hard negatives: each mention's best candidates in a run that are not its gold"),
        Command("stage index-row", "kb.index.exported:export_row",
            "write a row of the workflow as an index, which queries and the service open"),
        Command("stage evaluate", "retriever.evaluation.stage:evaluate",
            "score a run: recall@k and its intervals, ranks of the gold entities, TREC files"),
        Command("stage table", "reproduction.tables.stage:make_table",
            "make a table, the paper's or our own, from evaluations"),
        Command("stage costs", "reproduction.costs:write_costs",
            "write what each row of a table costs on this machine: training, vectors, ranking"),
        Command("stage figure", "reproduction.figures.stage:make_figure",
            "draw a figure: errors by length of description, recall by number of views"),
        Command("stage grid", "reproduction.tables.grid:make_grid",
            "compare the points of the grid by their validation recall and choose one"),
        Command("stage results-page", "reproduction.results_page:write_results_page",
            "write docs/results/DATASET.md, the page of record, and its numbers beside it"),
        Command("stage verdicts", "reproduction.verdicts.stage:write_verdicts",
            "test the claims of the paper, and write docs/verdicts.md and the matrix in README"),
        Command("stage metrics", "reproduction.metrics:write_metrics",
            "write the numbers and curves of results as DVC compares them"),
        Command("stage asked", "reproduction.workspace.current:list_asked",
            "list what params.yaml asks of each DVC stage, in build/DATASET/asked"),
    ),
}
# fmt: on
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}
