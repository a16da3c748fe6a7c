"""Stages that make the corpus, or the knowledge base and the mentions linked to it."""

from muver.reproduction.stages.stage import COUNTS, ENTITIES, KB, Stage, option, optional

CORPUS = (
    Stage(
        "generate",
        "make the built-in data (miniwikia): fictional wikis in ZESHEL's format or KILT's, from a "
        "seed",
        "muver.retriever.corpus.miniwikia.stage:write",
        (
            option(
                "--shape",
                "ZESHEL's format (default), or KILT's knowledge source with BLINK's benchmark "
                "files",
                type=str,
                choices=["zeshel", "kilt"],
                default="zeshel",
            ),
            option(
                "--out",
                "gets documents/<world>.json and mentions/{train,val,test}.json; for kilt: "
                "kilt_knowledgesource.json and <set>.jsonl",
                to="folder",
                metavar="FOLDER",
            ),
            option("--workers", "processes, for kilt", type=int, default=1),
        ),
        """--out build/miniwikia/raw --settings '{"seed": 13, "worlds": {"train": ["avelmoor"],
  "val": ["eskerfell"], "test": ["farrowmark"]}, "entities_per_world": 50,
  "one_aspect": 0.5, "mentions": {"train": 80, "val": 50, "test": 50}}'""",
        settings="json",
        about="seed, worlds by split, entities_per_world, one_aspect, mentions by split; for "
        "kilt: seed, entities, entities_per_world, mentions by set",
        settings_needed=True,
    ),
    Stage(
        "download",
        "fetch a dataset, a declared file or Punkt's English parameters, and verify it",
        "muver.kb.importing.download:download",
        (
            option(
                "--dataset",
                "a declared dataset, such as zeshel",
                either=True,
                type=str,
                metavar="NAME",
            ),
            option(
                "--files",
                "a declared source of another kind, such as kilt",
                either=True,
                type=str,
                metavar="NAME",
            ),
            option(
                "--punkt",
                "parameters of the sentence splitter",
                either=True,
                type=str,
                choices=["english"],
            ),
            option("--out", "folder for the raw files"),
            optional(
                "--archive",
                "where the archive is or is put; by default download/ beside --out, for a single "
                "file --out itself",
            ),
            optional("--url", "another address than the declared one", type=str),
            optional("--source", "an archive or unpacked folder to use instead of downloading"),
        ),
        """--dataset zeshel --source zeshel.tar.bz2 --out build/zeshel/raw
  --settings '{"sha256": null}'""",
        settings="muver.retriever.corpus.settings:Download",
        about="sha256 pins the archive; url and source as the options of these names",
    ),
    Stage(
        "corpus",
        "check a dataset in ZESHEL's format and write its entities, mentions and counts",
        "muver.kb.importing.corpus:build_corpus",
        (
            option("--name", "the dataset's name, for the counts", type=str),
            option("--raw", "folder with documents/ and mentions/"),
            option("--entities", "Parquet file to write", to="entities_path"),
            option("--mentions", "Parquet file to write", to="mentions_path"),
            option("--counts", "JSON file to write", to="counts_path"),
        ),
        """--name miniwikia --raw build/miniwikia/raw --settings '{"context_tokens": 128}'
  --entities entities.parquet --mentions mentions.parquet --counts counts.json""",
        settings="muver.retriever.corpus.settings:BuildCorpus",
        about="expected is a source whose published counts must be met",
    ),
    Stage(
        "segment",
        "split descriptions into sentences with Punkt",
        "muver.retriever.views.segment:segment",
        (
            ENTITIES,
            COUNTS,
            option("--out", "folder to write to"),
            optional("--english", "folder of Punkt's English parameters, from muver download"),
        ),
        """--entities entities.parquet --counts counts.json --settings '{"punkt": "train"}'
  --out segment""",
        settings="muver.retriever.views.settings:Segment",
        about="train: learnt from the training worlds",
    ),
    Stage(
        "kb",
        "read KILT's knowledge source into a knowledge base in parts",
        "muver.kb.importing.parts:read_dump",
        (
            option("--dump", "kilt_knowledgesource.json"),
            option("--out", "folder of the knowledge base", to="folder"),
            option("--workers", "processes", type=int, default=1),
        ),
        """--dump kilt_knowledgesource.json --out kb --workers 2 --settings '{"paragraphs": 5,
  "part_bytes": 134217728, "bad_lines": 100, "bad_share": 0.001, "duplicates": "refuse"}'""",
        settings="muver.retriever.corpus.settings:ReadDump",
        about="expected is a source, kilt, whose published number of pages must be met",
        note="A knowledge base of another form is read by `muver kb import`.",
    ),
    Stage(
        "kb-texts",
        "find the text of each entity of a knowledge base in BLINK's entity.jsonl",
        "muver.kb.importing.parts:write_texts",
        (
            KB,
            option("--file", "entity.jsonl", to="source"),
            option("--out", "folder of the texts, part by part", to="folder"),
        ),
        """--kb kb --file entity.jsonl --out texts
  --settings '{"bad_lines": 100, "bad_share": 0.001, "duplicates": "first"}'""",
        settings="muver.retriever.corpus.settings:ReadTexts",
    ),
    Stage(
        "link",
        "match the mentions of an entity-linking benchmark to the knowledge base",
        "muver.retriever.corpus.linking.build:link_set",
        (
            option("--set", "such as aida-testb or msnbc", to="name", type=str),
            option("--file", "BLINK's JSON lines, or one token a line (CoNLL)", to="path"),
            optional("--below", "--file is in some folder of this one", metavar="DIR"),
            KB,
            option("--mentions", "Parquet file to write", to="mentions_path"),
            option("--report", "JSON file to write", to="report_path"),
        ),
        """--set msnbc --file msnbc.conll --kb kb --mentions msnbc.parquet --report msnbc.json
  --settings '{"context_tokens": 128, "match": "id", "expected": "blink_benchmarks"}'""",
        settings="muver.retriever.corpus.settings:Link",
        about="expected is a source whose published number of mentions must be met; match is how "
        "gold entities are found; without a format the file's ending tells it; part is of AIDA",
    ),
    Stage(
        "kb-subset",
        "take from a knowledge base the entities that training and its validation need",
        "muver.retriever.corpus.linking.subset:write_subset",
        (
            KB,
            option("--train", "mentions, from muver link", to="training"),
            option("--val", "mentions, from muver link", to="validation"),
            optional("--negatives", "of the training mentions, from muver negatives"),
            optional(
                "--texts", "folder that `muver kb-texts` wrote, for a model whose views name it"
            ),
            option(
                "--out",
                "folder for entities, mentions, sentences and negatives (.parquet), counts.json "
                "and manifest.json",
                to="folder",
            ),
        ),
        """--kb kb --train aida-train.parquet --val aida-testa.parquet
  --negatives negatives.parquet --settings '{"further": 1000, "seed": 1}' --out training""",
        settings="muver.retriever.corpus.settings:Subset",
        about="further entities are drawn from the rest of the base, as more candidates in "
        "validation",
    ),
)
