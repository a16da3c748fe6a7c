"""Split each entity's description into sentences (MuVER, section 3.2)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
from nltk.tokenize.punkt import PunktParameters

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of, write_manifest
from muver.io.parquet import table_writer
from muver.io.progress import Progress, logger
from muver.retriever.corpus.schema import ROWS_A_GROUP, SENTENCES, read_entities
from muver.retriever.corpus.texts import clean
from muver.retriever.views import punkt
from muver.retriever.views.boundaries import sentence_spans
from muver.retriever.views.layout import Span
from muver.retriever.views.views_settings import Segment

Split = Callable[[str], Iterable[Span]]


def segment(
    entities: Path, counts: Path, out: Path, settings: Segment, english: Path | None = None
) -> None:
    """Split descriptions into sentences with Punkt.

    Writes sentences, Punkt's parameters and a manifest.

    Parameters
    ----------
    entities, counts
        Outputs of the corpus stage.
    out
        Receives ``sentences.parquet`` (`muver.retriever.corpus.schema.SENTENCES`), ``punkt/`` (the
        parameters that were used) and ``manifest.json``.
    english
        The folder of NLTK's English parameters, if ``settings`` ask for them.
    """
    splits = {world: entry["split"] for world, entry in read_json(counts)["worlds"].items()}
    training, learnt, by_unicode = None, PunktParameters(), settings.by == "unicode"
    if by_unicode:
        logger.info("sentences by the rules of Unicode")
    elif settings.punkt == "train":
        training = sorted(world for world, split in splits.items() if split == "train")
        logger.info("Punkt's parameters are learnt from %s", ", ".join(training))
        learnt = punkt.learnt_from(partial(cleaned_texts, entities, training))
    elif english is None:
        raise InputError("--english is missing: the folder of Punkt's English parameters.")
    else:
        punkt.verify_english(english)
        learnt = punkt.load(english)
    punkt.save(learnt, out / "punkt")
    split: Split = sentence_spans
    if not by_unicode:
        split = punkt.splitter(punkt.load(out / "punkt")).span_tokenize
    numbers = _write_sentences(entities, sorted(splits), split, out / "sentences.parquet")
    used = {"parameters": "unicode" if by_unicode else settings.punkt, "worlds": training}
    used["sha256"] = punkt.fingerprint(out / "punkt")
    write_manifest(
        out / "manifest.json", "segment", settings.as_dict(),
        {"entities": sha256_of(entities), "counts": sha256_of(counts)},
        punkt=used, sentences=numbers,
    )  # fmt: skip


def cleaned_texts(entities: Path, worlds: Sequence[str]) -> Iterator[str]:
    """The descriptions of some worlds' entities, as they are split into sentences."""
    for world in worlds:
        for text in read_entities(entities, [world])["text"]:
            yield clean(text.as_py())


def _write_sentences(entities: Path, worlds: list[str], split: Split, path: Path) -> dict[str, int]:
    """Write the sentences of every world; return their number by world."""
    numbers = dict.fromkeys(worlds, 0)
    with table_writer(path, SENTENCES) as writer:
        for world in worlds:
            table = read_entities(entities, [world]).select(["entity", "text"])
            progress = Progress(f"splitting {world}", table.num_rows, "entities")
            for batch in table.to_batches(max_chunksize=ROWS_A_GROUP):
                rows = []
                for entity, text in zip(*batch.to_pydict().values(), strict=True):
                    cleaned = clean(text)
                    sentences = [cleaned[start:end] for start, end in split(cleaned)]
                    rows.append({"world": world, "entity": entity, "sentences": sentences})
                    numbers[world] += len(sentences)
                    progress.advance()
                writer.write_table(pa.Table.from_pylist(rows, SENTENCES))
            progress.finish()
    return numbers
