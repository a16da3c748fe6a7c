"""What can be typed after ``muver``: each command, where its work is done, and an example.

A new command is an entry here; its options are the parameters of the function that it names. The
work is imported when the command runs, so that this table is quick to read.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

STAGE = "stage "  # before the name of a step that the workflow chains


class Command(NamedTuple):
    """An entry of the table.

    Parameters
    ----------
    name
        One or two words. What workflow/rules call are those that begin with ``stage``.
    work
        Function that does it, as ``module:function`` inside of the package.
    help
        One line, without a full stop.
    example
        A call, without ``muver NAME``; goes on over several lines where a shell would.
    """

    name: str
    work: str
    help: str
    example: str

    @property
    def module(self) -> str:
        """The module in which the work begins, inside of the package."""
        return self.work.partition(":")[0]

    def function(self) -> Callable[..., Any]:
        """The function that does the work, imported now."""
        return getattr(import_module(f"muver.{self.module}"), self.work.partition(":")[2])


# The end of a stage's settings: where it computes.
COMPUTE = """"device": "auto", "precision": "fp32",
  "threads": 2, "processes": 1, "batch_tokens": "auto"}\'"""

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
            "add entities to an index, in place of those of their ids",
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
        Command("index push", "kb.index.commands:push",
            "bring a collection of Qdrant to the entities of an index",
            "index http://localhost:6333/glossary"),
        Command("index evaluate", "kb.index.evaluate:evaluate",
            "measure recall@k of an index on mentions whose entities are known",
            "index mentions.jsonl --cutoffs 1 10"),
        Command("index calibrate", "kb.index.calibration:calibrate_index",
            "find out from labelled mentions how likely answers are right, and when none is",
            "harbour-index validation.jsonl --precision 0.9"),
        Command("index package", "reproduction.tracking.package:package",
            "register an index as a model of MLflow, which answers as muver query --json does",
            "harbour-index --name harbour"),
        Command("query", "kb.index.query:query",
            "find the entities of mentions, and print them",
            "harbour-index 'In spring [[the smith]] forged the gate.' -k 5"),
        Command("serve", "kb.serve.run:serve",
            "answer requests over HTTP, with a page to ask and to compare",
            """small=glossary.index large=glossary-large.index --port 8017 --token-file token
  --settings '{"mentions": 32, "k": 100}'"""),
    ),
    "Look at results": (
        Command("show", "reproduction.tables.shown:show",
            "print tables with the paper's contrasts in words",
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
            """--settings '{"tables": [{"table": "results/table1.json", "experiment": "table1",
  "evaluations": ["blink.json", "muver.json"], "runs": ["blink.parquet", "muver.parquet"],
  "out": "recorded.csv"}]}'"""),
    ),
    "Check and compare": (
        Command("doctor check", "reproduction.doctor.stage:check_project",
            "before a run: what is missing, what does not fit, how long it will take",
            "--config preset=zeshel"),
        Command("doctor compare", "reproduction.doctor.stage:compare_runs",
            "compare two runs of the same mentions: ranks that moved, settings that differ",
            "here/muver.parquet there/muver.parquet"),
        Command("doctor record", "reproduction.doctor.stage:compare_record",
            "after a run: its rows beside the numbers of record, which lie in docs/results",
            "--config preset=miniwikia"),
        Command("plan", "reproduction.estimate.plan:plan",
            "print the disk, memory and hours that a run will take, by stage",
            "--config preset=zeshel --measure --out plan.json"),
        Command("verify", "io.checksums:verify",
            "look whether everything in build/ is as it was written",
            "--folder build/miniwikia"),
        Command("prune", "reproduction.workspace.current:prune",
            "show what was made and is no longer asked for, with its size, and remove it",
            "--config preset=miniwikia --remove"),
        Command("unlock", "reproduction.workspace.locking:unlock",
            "remove a lock that a killed run left in a working folder",
            "."),
    ),
    "The workflow": (
        Command("run", "reproduction.workspace.snakemake_call:run",
            "make tables and figures in the present folder, as snakemake does in a clone",
            "table1 --config preset=zeshel_small --cores 8"),
        Command("stage download", "kb.importing.download:download",
            "fetch a dataset, a declared file or Punkt's English parameters, and verify it",
            """--dataset zeshel --source zeshel.tar.bz2 --out build/zeshel/raw
  --settings '{"sha256": null}'"""),
        Command("stage corpus", "kb.importing.corpus:build_corpus",
            "check a dataset in ZESHEL's format and write its entities, mentions and counts",
            """--name miniwikia --raw build/miniwikia/raw --settings '{"context_tokens": 128}'
  --entities entities.parquet --mentions mentions.parquet --counts counts.json"""),
        Command("stage segment", "retriever.views.segment:segment",
            "split descriptions into sentences with Punkt",
            """--entities entities.parquet --counts counts.json --settings '{"punkt": "train"}'
  --out segment"""),
        Command("stage kb", "kb.importing.parts:read_dump",
            "read KILT's knowledge source into a knowledge base in parts",
            """--dump kilt_knowledgesource.json --folder kb --workers 2
  --settings '{"paragraphs": 5, "part_bytes": 134217728, "bad_lines": 100, "bad_share": 0.001,
  "duplicates": "refuse"}'"""),
        Command("stage kb-texts", "kb.importing.parts:write_texts",
            "find the text of each entity of a knowledge base in BLINK's entity.jsonl",
            """--kb kb --source entity.jsonl --folder texts
  --settings '{"bad_lines": 100, "bad_share": 0.001, "duplicates": "first"}'"""),
        Command("stage link", "retriever.corpus.linking.build:link_set",
            "match the mentions of an entity-linking benchmark to the knowledge base",
            """--name msnbc --path msnbc.conll --kb kb --mentions msnbc.parquet --report msnbc.json
  --settings '{"context_tokens": 128, "match": "id", "expected": "blink_benchmarks"}'"""),
        Command("stage kb-subset", "retriever.corpus.linking.subset:write_subset",
            "take from a knowledge base the entities that training and its validation need",
            """--kb kb --train aida-train.parquet --val aida-testa.parquet
  --negatives negatives.parquet --settings '{"further": 1000, "seed": 1}' --folder training"""),
        Command("stage encoder", "retriever.encoders.start:make_start",
            "make or fetch the BERT that both towers start from",
            """--source scratch --entities entities.parquet --counts counts.json --out start
  --settings '{"scratch": {"vocabulary": 1500, "layers": 2, "hidden": 128, "heads": 2,
  "intermediate": 512, "positions": 512, "dropout": 0.0, "initializer_range": 0.1},
  "seed": 10000}'"""),
        Command("stage pretrain", "retriever.training.pretraining.run:pretrain",
            "train an encoder on the texts of the training worlds: masked words and inverse cloze",
            """--start start --entities entities.parquet --counts counts.json
  --sentences sentences.parquet --training-log pretraining_log.jsonl --out pretrained
  --compute '{"device": "cpu", "precision": "fp32", "threads": 1, "processes": 1,
  "batch_tokens": "auto"}'
  --settings '{"steps": 200, "batch_size": 32, "learning_rate": 1e-3, "weight_decay": 0.01,
  "warmup": 0.1, "clip_norm": 1.0, "adam_epsilon": 1e-6, "mask": 0.15, "hide_names": 0.2,
  "keep_text": 0.5, "context_tokens": 64, "initial_scale": 20, "vectors": "unit",
  "precision": "fp32", "seed": 10000}'"""),
        Command("stage train", "retriever.training.run:train",
            "train a model, two towers, and keep the checkpoint that the settings say",
            """--start start --entities entities.parquet --mentions mentions.parquet
  --sentences sentences.parquet --compute '{"device": "cpu", "precision": "fp32", "threads": 1,
  "processes": 1, "batch_tokens": "auto"}'
  --settings '{"views": {"kind": "prefix", "max_tokens": 128}, "context": {"max_tokens": 128},
  "score": "max", "seed": 10000, "training": {"batch_size": 32, "epochs": 3,
  "learning_rate": 3e-4, "weight_decay": 0.01, "warmup": 0.1, "clip_norm": 1.0,
  "adam_epsilon": 1e-6, "mask_false_negatives": false, "validate_every": 75,
  "validation_cutoff": 16, "checkpoint_every": 75, "chunk_tokens": 2048, "graph_tokens": 65536}}'
  --checkpoints checkpoints --training-log training_log.jsonl --out models/blink"""),
        Command("stage choose", "retriever.training.log:choose",
            "choose one of several trained models by validation recall",
            """--models blink_128=models/blink_128 blink_all=models/blink_all --cutoff 64
  --out models/partalidou"""),
        Command("stage convert", "retriever.encoders.convert:convert",
            "convert a released checkpoint (a pickled state dict of two towers) to a model",
            """--checkpoint best_zeshel.bin --encoder bert-base-uncased --out models/muver
  --settings '{"views": {"kind": "sentences", "max_tokens": 40, "min_pieces": 6, "title_room": 6,
  "training_views": 10}, "context": {"max_tokens": 128}, "score": "max"}'"""),
        Command("stage encode", "retriever.encoders.stages.encode:encode_split",
            "encode the entities and mentions of a split into a view store",
            """--model models/muver --entities entities.parquet --mentions mentions.parquet
  --sentences sentences.parquet --out store --settings '{"split": "test",
  """ + COMPUTE),
        Command("stage encode-part", "retriever.encoders.stages.kb:encode_part",
            "encode the views of one part of a knowledge base",
            """--model models/muver --kb kb --part 0 --out vectors
  --settings '{"dtype": "fp16", """ + COMPUTE),
        Command("stage encode-mentions", "retriever.encoders.stages.kb:encode_mentions",
            "encode the mentions that `muver stage link` matched to a knowledge base",
            """--model models/muver --mentions msnbc.parquet --out msnbc.npy
  --settings '{""" + COMPUTE),
        Command("stage encode-global", "retriever.encoders.stages.further:encode_global",
            "encode one view of each entity's whole description, beside those of a store",
            """--model models/muver --store store --entities entities.parquet
  --out globals --settings '{"max_tokens": 128,
  """ + COMPUTE),
        Command("stage encode-spans", "retriever.encoders.stages.further:encode_spans",
            "merge and encode every run of neighbouring views, of entities with few views",
            """--model models/muver --store store --out spans
  --settings '{"max_views": 10, "max_tokens": 512, """ + COMPUTE),
        Command("stage merge", "retriever.encoders.stages.further:merge_store",
            "merge views, layer by layer, and encode the merged ones",
            """--model models/muver --store store --out merged
  --settings '{"layers": 4, "top_k": 0.4, "pairs": "close", "among": "neighbours",
  "max_tokens": 512, """ + COMPUTE),
        Command("stage retrieve", "retriever.retrieval.kinds:retrieve",
            "rank entities for each mention, with a retriever of one of the kinds",
            """--kind views --store store --merged merged --entities entities.parquet
  --mentions mentions.parquet --settings '{"split": "test", "k": 64, "match": "title",
  "memory_mb": 256, "aggregate": "max", "metric": "dot", "merge_layers": 4, "search": "distant",
  "global_view": false, "spans": false}' --run muver.parquet --manifest muver.json"""),
        Command("stage ann-build", "retriever.retrieval.ann.index:build",
            "build a faiss index of the views of a knowledge base, from shards on disk",
            """--vectors vectors --settings '{"factory": "hnsw", "seed": 10000, "threads": 4}'
  --out index/hnsw"""),
        Command("stage ann-check", "retriever.retrieval.ann.check:check",
            "measure indices against exact search on a sample, and choose their nprobe or efSearch",
            """--vectors vectors --index index/hnsw --mention-vectors aida-testa.npy
  --settings '{"k": 100, "agreement": 0.995, "rescore": true, "most_views": 16384,
  "memory_mb": 1024, "seed": 10000, "threads": 4}' --report hnsw.json"""),
        Command("stage negatives", "retriever.retrieval.negatives:mine",
            "mine hard negatives: each mention's best candidates in a run that are not its gold",
            """--run blink.parquet --mentions aida-train.parquet --kb kb
  --settings '{"per_mention": 3}' --out negatives.parquet --manifest negatives.json"""),
        Command("stage index-row", "retriever.retrieval.layers:write_index",
            "write the index of a row of the workflow: the file that muver.Retriever opens",
            """--model models/muver --store store --merged merged --entities entities.parquet
  --sentences sentences.parquet
  --settings '{"split": "test", "k": 64, "match": "title", "memory_mb": 256, "aggregate": "max",
  "metric": "dot", "merge_layers": 4, "search": "distant", "global_view": false, "spans": false}'
  --out muver.json"""),
        Command("stage evaluate", "retriever.evaluation.stage:evaluate",
            "score a run: recall@k and its intervals, ranks of the gold entities, TREC files",
            """--system muver --dataset miniwikia --name test --run muver.parquet
  --run-manifest muver.json --mentions mentions.parquet --entities entities.parquet
  --sentences sentences.parquet --counts counts.json --settings '{"cutoffs": [1, 64],
  "resample": "documents", "row": {"system": "muver", "retrieve": {"k": 64, "match": "title"}}}'
  --out evaluations/muver.json"""),
        Command("stage table", "reproduction.tables.stage:make_table",
            "make a table, the paper's or our own, from evaluations",
            """--name table1 --evaluations blink.json muver.json --out results/table1.csv
  --settings '{"rows": [{"method": "BLINK", "system": "blink"}, {"method": "MuVER",
  "system": "muver"}], "against": "blink"}'"""),
        Command("stage figure", "reproduction.figures.stage:make_figure",
            "draw a figure: errors by length of description, recall by number of views",
            """--name figure2 --evaluations blink.json muver.json --out results/figure2.csv
  --figures results/figures --settings '{"rows": [{"method": "BLINK", "system": "blink"},
  {"method": "MuVER", "system": "muver"}], "cutoff": 64, "bin": 5, "last": 100}'"""),
        Command("stage grid", "reproduction.grid.table:make_grid",
            "compare the points of the grid by their validation recall and choose one",
            """--logs grid/muver_lr1e-05_wd0.01_wu0.1_bs32.jsonl
  grid/muver_lr5e-05_wd0.01_wu0.1_bs32.jsonl
  --settings '{"grid": {"models": ["muver"], "learning_rate": [1e-5, 5e-5],
  "weight_decay": [0.01], "warmup": [0.1], "batch_size": [32]},
  "base": {"muver": {"training": {"validation_cutoff": 64}}}}'
  --dataset miniwikia --counts counts.json --out results/grid.csv"""),
        Command("stage results-page", "reproduction.results_page.section:write_section",
            "write docs/results.md, the page of record, or some tables of another page",
            """--command 'snakemake --cores all results/fidelity.csv' --only fidelity
  --out docs/fidelity.md"""),
        Command("stage metrics", "reproduction.metrics:write_metrics",
            "write the numbers and curves of results as DVC compares them",
            """--tables results/table1.json --curves results/figure2.json
  --metrics metrics --plots plots"""),
        Command("stage asked", "reproduction.workspace.dvc:list_asked",
            "list what params.yaml asks of each DVC stage, in build/DATASET/asked",
            "--config preset=miniwikia"),
    ),
}
# fmt: on
COMMANDS = {command.name: command for commands in GROUPS.values() for command in commands}
