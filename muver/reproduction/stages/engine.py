"""Stages that train towers and encode views and mentions."""

from muver.reproduction.stages.stage import (
    COUNTS,
    ENTITIES,
    KB,
    MENTIONS,
    MODEL,
    SENTENCES,
    STORE,
    Option,
    Stage,
    json_object,
    named_folder,
    option,
    optional,
)
from muver.retriever.retrieval.kinds import INPUTS, LISTS

VECTORS = option("--vectors", "folder that `muver encode-part` wrote")
MODEL_FOLDER = option("--model", MODEL.argparse["help"], to="model_folder")


def _out(about: str) -> Option:
    return option("--out", about)


# The end of a stage's settings: where it computes.
COMPUTE = """"device": "auto", "precision": "fp32",
  "threads": 2, "processes": 1, "batch_tokens": "auto"}'"""

ENGINE = (
    Stage(
        "encoder",
        "make or fetch the encoder that both towers start from",
        "muver.retriever.encoders.start:make_start",
        (
            option("--source", "'scratch', an encoder's directory, or a name on the hub", type=str),
            optional("--entities", "for 'scratch': corpus/entities.parquet"),
            optional("--counts", "for 'scratch': corpus/counts.json"),
            _out("folder for the encoder"),
        ),
        """--source scratch --entities entities.parquet --counts counts.json --out start
  --settings '{"scratch": {"vocabulary": 1500, "layers": 2, "hidden": 128, "heads": 2,
  "intermediate": 512, "positions": 512, "dropout": 0.0, "initializer_range": 0.1}, "seed": 10000}'
""",
        settings="json",
        about='for \'scratch\': {"scratch": {...}, "seed": 10000}, as params.yaml has them; else '
        '{"pooling": "auto"} to find out how the encoder pools',
    ),
    Stage(
        "pretrain",
        "train an encoder on the texts of the training worlds: masked words and inverse cloze",
        "muver.retriever.training.pretraining.run:pretrain",
        (
            option("--compute", "the section 'compute' as JSON", type=json_object),
            option("--start", "encoder to start from, from `muver encoder`"),
            ENTITIES,
            COUNTS,
            SENTENCES,
            option("--training-log", "JSON lines to write: the losses of each step"),
            _out("folder for the encoder"),
        ),
        """--start start --entities entities.parquet --counts counts.json
  --sentences sentences.parquet --training-log pretraining_log.jsonl --out pretrained
  --compute '{"device": "cpu", "threads": 1, "batch_tokens": "auto"}'
  --settings '{"steps": 200, "batch_size": 32, "learning_rate": 1e-3, "weight_decay": 0.01,
  "warmup": 0.1, "clip_norm": 1.0, "adam_epsilon": 1e-6, "mask": 0.15, "hide_names": 0.2,
  "keep_text": 0.5, "context_tokens": 64, "initial_scale": 20, "vectors": "unit",
  "precision": "fp32", "seed": 10000}'""",
        settings="muver.retriever.training.settings:Pretraining",
        about="as the sections pretrain, context and compute have them",
    ),
    Stage(
        "train",
        "train a model: two towers on the training worlds, the checkpoint that the settings keep",
        "muver.retriever.training.run:train",
        (
            option("--compute", "the section 'compute' as JSON", type=json_object),
            option("--start", "directory of an encoder or a model to start from"),
            ENTITIES,
            MENTIONS,
            SENTENCES,
            optional("--negatives", "hard negatives of the mentions, from `muver kb-subset`"),
            option("--checkpoints", "folder that a killed run resumes from"),
            option("--training-log", "JSON lines to write"),
            optional("--out", "model directory to write; without it only the log is written"),
        ),
        """--start start --entities entities.parquet --mentions mentions.parquet
  --sentences sentences.parquet --compute '{"device": "cpu", "precision": "fp32", "threads": 1}'
  --settings '{"views": {"kind": "prefix", "max_tokens": 128}, "context": {"max_tokens": 128},
  "score": "max", "seed": 10000, "training": {"batch_size": 32, "epochs": 3,
  "learning_rate": 3e-4, "weight_decay": 0.01, "warmup": 0.1, "clip_norm": 1.0,
  "adam_epsilon": 1e-6, "mask_false_negatives": false, "validate_every": 75,
  "validation_cutoff": 16, "checkpoint_every": 75, "chunk_tokens": 2048, "graph_tokens": 65536}}'
  --checkpoints checkpoints --training-log training_log.jsonl --out models/blink""",
        settings="json",
        about="the model's settings (views, score, metric, pooling, context, training, "
        "precision, seed, start, negatives) as JSON",
        settings_needed=True,
        label="model",
    ),
    Stage(
        "choose",
        "choose one of several trained models by validation recall",
        "muver.retriever.training.choice:choose",
        (
            option(
                "--models",
                "model directories, with their logs",
                type=named_folder,
                nargs="+",
                metavar="NAME=DIR",
            ),
            option("--cutoff", "the k of recall@k", type=int),
            _out("model directory to write"),
        ),
        """--models blink_128=models/blink_128 blink_all=models/blink_all --cutoff 64
  --out models/partalidou""",
    ),
    Stage(
        "convert",
        "convert a released checkpoint (a pickled state dict of two towers) to a model directory",
        "muver.retriever.encoders.convert:convert",
        (
            option("--checkpoint", "such as MuVER's best_zeshel.bin"),
            option(
                "--encoder", "BERT directory or hub name with its sizes and tokenizer", type=str
            ),
            optional("--training-log", "JSON lines: names the checkpoint"),
            _out("model directory to write"),
        ),
        """--checkpoint best_zeshel.bin --encoder bert-base-uncased --out models/muver
  --settings '{"views": {"kind": "sentences", "max_tokens": 40, "min_pieces": 6, "title_room": 6,
  "training_views": 10}, "context": {"max_tokens": 128}, "score": "max"}'""",
        settings="json",
        about="the model's settings (views, context, score, metric, pooling) as JSON",
        settings_needed=True,
        label="model",
    ),
    Stage(
        "encode",
        "encode the entities and mentions of a split into a view store",
        "muver.retriever.encoders.stages.encode:encode_split",
        (MODEL_FOLDER, ENTITIES, MENTIONS, SENTENCES, _out("folder of the store")),
        """--model models/muver --entities entities.parquet --mentions mentions.parquet
  --sentences sentences.parquet --out store --settings '{"split": "test",
  """
        + COMPUTE,
        settings="muver.retriever.encoders.stages.settings:Encode",
        label="model",
    ),
    Stage(
        "encode-part",
        "encode the views of one part of a knowledge base, unless that is done",
        "muver.retriever.encoders.stages.kb_part:encode_part",
        (
            MODEL_FOLDER,
            KB,
            option("--part", "number of the part, from 0", to="number", type=int, metavar="N"),
            optional("--texts", "folder that `muver kb-texts` wrote, if the model's views name it"),
            _out("folder of the vectors' parts"),
        ),
        """--model models/muver --kb kb --part 0 --out vectors --settings '{"dtype": "fp16",
  """
        + COMPUTE,
        settings="muver.retriever.encoders.stages.settings:Part",
        label="model",
    ),
    Stage(
        "encode-mentions",
        "encode the mentions that `muver link` matched to a knowledge base",
        "muver.retriever.encoders.stages.mentions:encode_mentions",
        (
            MODEL_FOLDER,
            option("--mentions", "Parquet of the set"),
            _out(".npy to write; its manifest comes beside it"),
        ),
        """--model models/muver --mentions msnbc.parquet --out msnbc.npy --settings '{""" + COMPUTE,
        settings="muver.retriever.encoders.settings:Encoding",
        label="model",
    ),
    Stage(
        "encode-global",
        "encode one view of each entity's whole description, beside those of a store",
        "muver.retriever.encoders.stages.global_views:encode_global",
        (MODEL_FOLDER, STORE, ENTITIES, _out("folder of the global views")),
        """--model models/muver --store store --entities entities.parquet
  --out globals --settings '{"max_tokens": 128,
  """
        + COMPUTE,
        settings="muver.retriever.encoders.stages.settings:GlobalViews",
        label="model",
    ),
    Stage(
        "encode-spans",
        "merge and encode every run of neighbouring views, of entities with few views",
        "muver.retriever.encoders.stages.spans:encode_spans",
        (MODEL_FOLDER, STORE, _out("folder of the spans")),
        """--model models/muver --store store --out spans
  --settings '{"max_views": 10, "max_tokens": 512, """
        + COMPUTE,
        settings="muver.retriever.encoders.stages.settings:Spans",
        label="model",
    ),
    Stage(
        "merge",
        "merge views, layer by layer, and encode the merged ones",
        "muver.retriever.encoders.stages.merge:merge_store",
        (MODEL_FOLDER, STORE, _out("folder of the merged layers")),
        """--model models/muver --store store --out merged
  --settings '{"layers": 4, "top_k": 0.4, "pairs": "close", "among": "neighbours",
  "max_tokens": 512, """
        + COMPUTE,
        settings="muver.retriever.encoders.stages.settings:Merge",
        label="model",
    ),
    Stage(
        "retrieve",
        "rank entities for each mention, with a retriever of one of the kinds",
        "muver.retriever.retrieval.kinds:retrieve",
        (
            option("--kind", "how candidates are found", type=str),
            optional(
                "--compute",
                "the section 'compute' as JSON, which kinds that run a model look at",
                type=json_object,
            ),
            *(
                optional(f"--{name.replace('_', '-')}", text, nargs="+" if name in LISTS else None)
                for name, text in INPUTS.items()
            ),
            option("--run", "run file to write"),
            option("--manifest", "its manifest to write"),
        ),
        """--kind views --store store --merged merged --entities entities.parquet
  --mentions mentions.parquet --settings '{"split": "test", "k": 64, "match": "title",
  "memory_mb": 256, "aggregate": "max", "metric": "dot", "merge_layers": 4, "search": "distant",
  "global_view": false, "spans": false}' --run muver.parquet --manifest muver.json""",
        settings="json",
        about="the row's retrieval settings as JSON",
        settings_needed=True,
        label="system",
        note="views: the vectors of a store (BLINK, MuVER). tokens: token vectors, straight from a "
        "model (SOM). bm25: words. fusion: other systems' runs. shards: the vectors of a knowledge "
        "base, exactly or by an index. muver/retriever/retrieval/kinds says what each is given.",
    ),
    Stage(
        "ann-build",
        "build a faiss index of the views of a knowledge base, from shards on disk",
        "muver.retriever.retrieval.ann.index:build",
        (VECTORS, _out("folder of the index")),
        """--vectors vectors --settings '{"factory": "hnsw", "seed": 10000, "threads": 4}'
  --out index/hnsw""",
        settings="muver.retriever.retrieval.ann.settings:Build",
        label="index",
    ),
    Stage(
        "ann-check",
        "measure indices against exact search on a sample, and choose their nprobe or efSearch",
        "muver.retriever.retrieval.ann.check:check",
        (
            VECTORS,
            option("--index", "folders of indices of the shards", nargs="+"),
            option("--mention-vectors", "from `muver encode-mentions`"),
            optional("--report", "JSON file to write the measurements to as well"),
        ),
        """--vectors vectors --index index/hnsw --mention-vectors aida-testa.npy
  --settings '{"k": 100, "agreement": 0.995, "rescore": true, "most_views": 16384,
  "memory_mb": 1024, "seed": 10000, "threads": 4}' --report hnsw.json""",
        settings="muver.retriever.retrieval.ann.settings:Check",
    ),
    Stage(
        "negatives",
        "mine hard negatives: each mention's best candidates in a run that are not its gold",
        "muver.retriever.retrieval.negatives:mine",
        (
            option("--run", "from muver retrieve --kind shards"),
            option("--run-manifest", "the run's manifest"),
            option("--mentions", "from muver link"),
            KB,
            option("--out", "Parquet file to write"),
            option("--manifest", "its manifest to write"),
        ),
        """--run blink.parquet --run-manifest blink.json --mentions aida-train.parquet
  --kb kb --settings '{"per_mention": 3}' --out negatives.parquet --manifest negatives.json""",
        settings="muver.retriever.retrieval.settings:Mining",
    ),
    Stage(
        "index row",
        "write the index of a row of the workflow: the file that muver.Retriever opens",
        "muver.retriever.retrieval.layers:write_index",
        (
            MODEL,
            STORE,
            ENTITIES,
            SENTENCES,
            optional("--merged", "folder that `muver merge` wrote"),
            optional("--global-views", "folder that `muver encode-global` wrote"),
            optional("--spans", "folder that `muver encode-spans` wrote"),
            optional(
                "--chosen", "manifest of the row's run, where validation chose a setting of it"
            ),
            _out("JSON file to write"),
        ),
        """--model models/muver --store store --merged merged --entities entities.parquet
  --sentences sentences.parquet
  --settings '{"split": "test", "k": 64, "match": "title", "memory_mb": 256, "aggregate": "max",
  "metric": "dot", "merge_layers": 4, "search": "distant", "global_view": false, "spans": false}'
  --out muver.json""",
        settings="muver.retriever.retrieval.kinds.views:Settings",
        about="the row's retrieval settings",
    ),
)
