"""What the campaign found, and the test that fails without the mend. An entry is never removed."""

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault, in a sentence, with the test of its mend or why there is none."""

    section: str
    what: str
    mended: str


FAULTS = [
    Fault(
        "commands",
        "A killed `index add` or `update` left a `.tmp` file among the segments until `compact`.",
        "The next change removes it: `tests/kb/index/test_mistakes.py`.",
    ),
    Fault(
        "power",
        "In 272 of 552 moments of the stages (a trial before records were kept) a file had its "
        "name before its bytes were on the "
        "disk, and no list told of it; of a checkpoint, only removing its folder by hand helped.",
        "Every file is flushed before it is renamed: `tests/io/test_files.py`.",
    ),
    Fault(
        "power",
        "The lists of SHA-256 were not flushed themselves, nor was the copy of a model in a new "
        "index.",
        "Both are. The section looks at the lists; no test copies a model without power.",
    ),
    Fault(
        "bytes",
        "The report, `muver show` and `muver record` read artifacts and tables without comparing "
        "their SHA-256, and results had none: the report showed other numbers in silence.",
        "Results have lists, and readers compare: `tests/io/test_checksums.py`.",
    ),
    Fault(
        "bytes",
        "Settings of a stage that name files were not looked through for damaged ones (seen in "
        "the code, not in a case).",
        "They are, before they are read: `muver/cli.py`; no test of its own.",
    ),
    Fault(
        "hostile",
        "A params.yaml that is not UTF-8, or has control characters, ended in a traceback.",
        "`tests/reproduction/settings/test_file.py`",
    ),
    Fault(
        "hostile",
        "An entity of Wikidata's dump with a label, alias or article of another form ended the "
        "import in a KeyError.",
        "`tests/kb/importing/sources/test_wikidata.py`",
    ),
    Fault(
        "hostile",
        "An OBO term above which nothing is defined ended the import in a KeyError.",
        "`tests/kb/importing/sources/test_ontologies.py`",
    ),
    Fault(
        "hostile",
        "A CSV file with an open quotation mark in its first line ended in a traceback.",
        "`tests/kb/importing/sources/test_tables.py`",
    ),
    Fault(
        "commands",
        "A killed pre-training left a `.tmp` file in the folder of its result.",
        "Whoever writes the file next removes it: `tests/io/test_checksums.py`.",
    ),
    Fault(
        "commands",
        "A recorder that was killed while it made the store left half of it under another name.",
        "The next one removes it: `tests/reproduction/tracking/test_store.py`.",
    ),
    Fault(
        "commands",
        "A killed `dvc repro` once left `dvc.lock` half written, and DVC refused it from then on.",
        "Not mended: DVC writes it in place. docs/reproduce.md says how to get it back.",
    ),
    Fault(
        "hostile",
        "A size in an encoder's config.json that is no whole number ended in a TypeError.",
        "`tests/retriever/encoders/test_bert.py`",
    ),
    Fault(
        "bytes",
        "An index answered with other weights than it was made with, although they are listed: the "
        "section itself had not looked at an index's model, nor put it back.",
        "The first answer compares the model: `tests/kb/index/test_mistakes.py`. The section looks "
        "at the folder that a job works in.",
    ),
    Fault(
        "bytes",
        "A bit of an activation's name in the config.json of a model ended in a KeyError.",
        "An index's model is compared before it is loaded, and the name is told: "
        "`tests/retriever/encoders/test_library.py`.",
    ),
    Fault(
        "bytes",
        "The report read the table that says what vectors are of, and the list of what was "
        "recorded, without comparing their SHA-256: a traceback.",
        "Whoever opens them compares: `tests/io/test_checksums.py`.",
    ),
    Fault(
        "hostile",
        "One of 73 changed OBO files made the library that parses them panic: a traceback.",
        "It is told by its name, and so is each other exception of that library, as of a file that "
        "is not UTF-8: `tests/kb/importing/sources/test_ontologies.py`.",
    ),
    Fault(
        "together",
        "Of two recorders that were the first in a PostgreSQL (a trial before records were kept) "
        "one gave up, because the other one made MLflow's tables, tags or data sets.",
        "It tries again: `tests/reproduction/tracking/test_store.py`.",
    ),
    Fault(
        "service",
        "Answers of 400, 413 and 415 were not in the description of the routes that take a body "
        "(found by schemathesis).",
        "They are; the section looks at each answer's status, and at a sample of requests "
        "`tests/campaign/test_sections.py`.",
    ),
    Fault(
        "hostile",
        "A column's name in Parquet that is not UTF-8, a member of a zip file without a name, and "
        "an old index.json of other counts than its segments' ended in tracebacks (found by "
        "atheris).",
        "`tests/kb/importing/sources/test_tables.py`, `tests/retriever/corpus/test_archive.py`, "
        "`tests/kb/index/test_mistakes.py`",
    ),
    Fault(
        "hostile",
        "A JSON file of ours with thousands of brackets ended in a RecursionError.",
        "`tests/io/test_files.py`",
    ),
    Fault(
        "hostile",
        "A number of more than 4,300 digits in a JSON file of ours ended in a ValueError; so did "
        "one, or a date that does not exist, in params.yaml.",
        "`tests/io/test_files.py`, `tests/reproduction/settings/test_file.py`",
    ),
    Fault(
        "workflow",
        "The message that a table is not recorded was in the table's list of checksums, and its "
        "line stayed when the message went.",
        "It is in no list: `tests/io/test_checksums.py`",
    ),
    Fault(
        "workflow",
        "A worker process of the import outlived its killed parent and waited for work for ever.",
        "It ends with its parent: `tests/kb/importing/test_opening.py`",
    ),
    Fault(
        "together",
        "Once a recorder in SQLite did not end, beside much other work: the section ended there, "
        "without a record.",
        "Not understood, and not seen again; the section now counts it as a case that does not "
        "hold.",
    ),
    Fault(
        "failing",
        "A file that could not be removed ended `index compact` in a traceback.",
        "What a disk does not allow is told by every command: `tests/test_cli.py`.",
    ),
    Fault(
        "failing",
        "A damaged file on a disk that nobody can write ended in a traceback, as it could not be "
        "renamed (seen in the code, not in a case).",
        "`tests/io/test_checksums.py`",
    ),
    Fault(
        "signals",
        "A signal after the work, while the interpreter ended, raised an exception in place of "
        "ending the process.",
        "`tests/io/test_process.py`",
    ),
    Fault(
        "commands",
        "A process that was killed before it held the lock of its folder left it for ever, and a "
        "lock on a folder that had just gone made a file of its name (seen in the code, not in a "
        "case). The section itself had not started since jobs are told by files.",
        "`tests/io/test_files.py`",
    ),
    Fault(
        "workflow",
        "A clock that is set back during a run hid that rows could not be recorded (seen in the "
        "code, not in a case).",
        "No time tells messages of a run from older ones: "
        "`tests/reproduction/workspace/test_results.py`.",
    ),
    Fault(
        "workflow",
        "A clock that was set back, and a table that was made while the page of a run was, left "
        "the page without it (seen in a test).",
        "The page names the bytes that it was made of, and no time decides: "
        "`tests/reproduction/report/test_stage.py`.",
    ),
    Fault(
        "service",
        "While one request for 64 mentions was answered another one waited for all of it: on one "
        "core 2.4 s of processor time by a model of MiniLM's size, 16 s by one of BERT-base's "
        "(computed from the 0.30 and 2.04 s of 8 mentions).",
        "They take turns after 512 tokens, three or four mentions of full length: "
        "`tests/kb/serve/test_waiting.py`.",
    ),
    Fault(
        "worst",
        "64 mentions for an encoder of BERT-base's size, an entity with a long title, candidates "
        "of a cross-encoder, 64 worlds: seconds or minutes of a core were admitted.",
        "What costs more than `tokens` is refused: `tests/kb/serve/test_costs.py`.",
    ),
    Fault(
        "worst",
        "By l2 the vectors of nearly all entities were compared once more, as the bound of what "
        "rounding moves was that of equal vectors.",
        "It is that of the nearest ones: `tests/retriever/retrieval/test_exact.py`.",
    ),
    Fault(
        "worst",
        "Each further index with the same model took its memory again.",
        "They share it: `tests/kb/index/test_index.py`.",
    ),
    Fault(
        "disk",
        "An encoder from scratch on a disk that can't be written ended in a traceback, as a "
        "library has an exception of its own.",
        "`tests/retriever/encoders/test_start.py`",
    ),
    Fault(
        "disk",
        "Snakemake in a finished project that can't be written ended in a traceback.",
        "It is told: `tests/reproduction/workspace/test_locking.py`.",
    ),
    Fault(
        "worst",
        "A request for mentions with thousands of marks took 40 s of a core, an imported text of "
        "200,000 marks more than a minute, as putting n marks into their order takes n² steps.",
        "The first 30 in a row are read: `tests/io/test_text.py`.",
    ),
    Fault(
        "worst",
        "A mention of 1,000 candidates was refused by a service whose second stage reads two, and "
        "to explain a score cost as if that stage read anything.",
        "What is read is charged: `tests/kb/index/test_reranked.py`.",
    ),
    Fault(
        "worst",
        "An entity that every mention finds, with 20,000 views and 1,000 aliases, cost 0.6 s of a "
        "core a mention, which was charged as any other candidate: 34 mentions took 21 s.",
        "Its views are compared ten times as fast, the texts of few equal ones are read, and "
        "vectors, names and other columns are charged: `tests/kb/index/test_costs.py`.",
    ),
    Fault(
        "signals",
        "A signal right before a read of standard input or a pipe waited for the next data.",
        "Every such read looks up five times a second: `tests/kb/importing/test_piped.py`.",
    ),
    Fault(
        "service",
        "An `asked` of half a character, or of 300 levels, ended in status 500.",
        "It is refused: `tests/kb/serve/test_routes.py`. The section draws what open objects have.",
    ),
    Fault(
        "service",
        "Half a character in an entity's description or in the settings of a request ended in "
        "status 500.",
        "No text of a body may have one: `tests/kb/serve/test_routes.py`.",
    ),
    Fault(
        "service",
        "A body that was refused while its request was in hand left a traceback of 3 KB in the "
        "log.",
        "It leaves its line alone: `tests/kb/serve/test_guard.py`.",
    ),
    Fault(
        "bytes",
        "A bit of a path in a job's file went unseen, and the job wrote its results elsewhere.",
        "It has a checksum: `tests/reproduction/workspace/test_jobs.py`.",
    ),
]
