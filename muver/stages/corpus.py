"""Stages that make the corpus, or the knowledge base and the mentions linked to it."""

from muver.stages.stage import KB, Stage, option

CORPUS = (
    Stage(
        "kb-texts",
        "find the text of each entity of a knowledge base in BLINK's entity.jsonl",
        "muver.corpus.texts.write:write_texts",
        (
            KB,
            option("--file", "entity.jsonl", to="source"),
            option("--out", "folder of the texts, part by part", to="folder"),
        ),
        """--kb kb --file entity.jsonl --settings '{"duplicates": "first"}' --out texts""",
        settings="json",
        about='bad_lines (100), bad_share (0.001), line_bytes, duplicates ("refuse" or '
        '"first"), expected (null or "blink_entities")',
        settings_to="given",
    ),
    Stage(
        "link",
        "match the mentions of an entity-linking benchmark to the knowledge base",
        "muver.corpus.linking.build:link_set",
        (
            option("--set", "such as aida-testb or msnbc", to="name", type=str),
            option("--file", "BLINK's JSON lines, or one token a line (CoNLL)", to="path"),
            option(
                "--below", "--file is in some folder of this one", required=False, metavar="DIR"
            ),
            KB,
            option("--mentions", "Parquet file to write", to="mentions_path"),
            option("--report", "JSON file to write", to="report_path"),
        ),
        """--set msnbc --file msnbc.conll --kb kb --settings '{"expected": "blink_benchmarks"}'
  --mentions msnbc.parquet --report msnbc.json""",
        settings="json",
        about='{"context_tokens": 128, "expected": null, "match": "id", "shown": 100, '
        '"format": null, "part": null}; expected: a source whose published number of mentions '
        "must be met, such as blink_benchmarks; match: how gold entities are found, id or "
        "id_or_title; format: blink or conll, null tells it by the file's ending; part: train, "
        "testa or testb of AIDA's file",
        settings_to="given",
    ),
    Stage(
        "kb-subset",
        "take from a knowledge base the entities that training and its validation need",
        "muver.corpus.linking.subset:write_subset",
        (
            KB,
            option("--train", "mentions, from muver link", to="training"),
            option("--val", "mentions, from muver link", to="validation"),
            option("--negatives", "of the training mentions, from muver negatives", required=False),
            option(
                "--texts",
                "folder that `muver kb-texts` wrote, for a model whose views name it",
                required=False,
            ),
            option(
                "--out",
                "folder for entities, mentions, sentences and negatives (.parquet), counts.json "
                "and manifest.json",
                to="folder",
            ),
        ),
        """--kb kb --train aida-train.parquet --val aida-testa.parquet
  --negatives negatives.parquet --settings '{"further": 1000}' --out training""",
        settings="json",
        about='{"further": 0, "seed": 0}; further: entities drawn from the rest of the base, '
        "as more candidates in validation",
        settings_to="given",
    ),
)
