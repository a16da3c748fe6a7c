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
        """--kb kb --file entity.jsonl --out texts
  --settings '{"bad_lines": 100, "bad_share": 0.001, "duplicates": "first"}'""",
        settings="muver.corpus.settings:ReadTexts",
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
        """--set msnbc --file msnbc.conll --kb kb --mentions msnbc.parquet --report msnbc.json
  --settings '{"context_tokens": 128, "match": "id", "expected": "blink_benchmarks"}'""",
        settings="muver.corpus.settings:Link",
        about="expected is a source whose published number of mentions must be met; match is how "
        "gold entities are found; without a format the file's ending tells it; part is of AIDA",
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
  --negatives negatives.parquet --settings '{"further": 1000, "seed": 1}' --out training""",
        settings="muver.corpus.settings:Subset",
        about="further entities are drawn from the rest of the base, as more candidates in "
        "validation",
    ),
)
