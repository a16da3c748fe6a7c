"""Hostile files: valid ones of every form with seeded changes, read in a bounded process.

Each is changed in one to four places: bytes flipped, cut, swapped, zeroed, put in or doubled, odd
ones among them (halves of characters, escapes, deep brackets, names that leave the folder). A case
holds if its reader ends well or with a message in words, within 60 seconds of a core and 3 GiB, and
writes nothing outside of its folder.
"""

import bz2
import gzip
import io
import json
import lzma
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import torch

from campaign import indexes
from campaign.child import bounded
from campaign.mutations import odd
from campaign.plan import ROOT, Case, Plan
from muver.io.files import read_json
from muver.io.typed import read
from muver.kb.importing.build import import_kb
from muver.kb.importing.importing_settings import Import
from muver.kb.index.index import Index
from muver.kb.index.mentions import read_mentions
from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve
from muver.retriever.corpus.archive import unpacked
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.convert import read_state, split_towers
from muver.retriever.training.checkpoint import Checkpoints
from tests import tiny
from tests.kb.importing.sources.test_fixed_keys import GOOD, SHIP
from tests.kb.importing.sources.test_ontologies import OBO, SKOS
from tests.kb.importing.sources.test_wikidata import ALL, dump

ROWS = [{"id": f"e{n}", "title": f"The tower {n}", "description": "A <b>bell</b>; in it.",
         "world": "alder"} for n in range(4)]  # fmt: skip
CSV = "id,title,description\n" + "".join(f'{n},"A, b",It is {n}.\n' for n in range(4))
LINKED = SHIP | {"links": [{"start": 12, "end": 16, "target": "Dock"}]}
OPEN = BiEncoder.from_pretrained
XML = (ROOT / "tests/kb/importing/data/smallwiki.xml").read_bytes()


class Reader(NamedTuple):
    """A form: what its file is called, a valid one, and who reads it."""

    name: str
    valid: bytes
    work: Callable[[Path], object]


def _imported(form: str | None, path: Path) -> None:
    import_kb([path], out=path.parent / "out", settings=read(Import, {}), form=form)


def _opened(path: Path) -> None:
    with unpacked(path, path.parent / "out"):
        pass


def _lines(*rows: object) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _tar() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name in ("documents/ash.json", "mentions/val.json"):
            tar.add(ROOT / ".test/tiny" / name, name)
    return made.getvalue()


def _zip() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.write(ROOT / ".test/tiny/mentions/val.json", "mentions/val.json")
    return made.getvalue()


def _parquet() -> bytes:
    made = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), made)
    return made.getvalue()


def readers(folder: Path) -> Iterator[tuple[str, Reader]]:
    """All forms by name."""
    imports = {
        "JSON lines": ("kb.jsonl", _lines(*ROWS), None),
        "CSV": ("kb.csv", CSV.encode(), None),
        "Parquet": ("kb.parquet", _parquet(), None),
        "MediaWiki's XML": ("kb.xml", XML, None),
        "compressed XML (gz)": ("kb.xml.gz", gzip.compress(XML), None),
        "compressed CSV (bz2)": ("kb.csv.bz2", bz2.compress(CSV.encode()), None),
        "compressed CSV (xz)": ("kb.csv.xz", lzma.compress(CSV.encode()), None),
        "Turtle": ("kb.ttl", SKOS.encode(), None),
        "RDF/XML": ("kb.rdf", _rdf_xml(), None),
        "OBO": ("kb.obo", OBO.encode(), None),
        "Wikidata": ("kb.json", dump(ALL).encode(), None),
        "KILT": ("kb.json", _lines(GOOD, {**GOOD, "wikipedia_id": "2"}), "kilt"),
        "linked": ("kb.jsonl", _lines(LINKED), "linked"),
    }  # fmt: skip
    for kind, (name, valid, form) in imports.items():
        yield kind, Reader(name, valid, partial(_imported, form))
    yield "tar", Reader("data.tar", _tar(), _opened)
    yield "tar.gz", Reader("data.tar.gz", gzip.compress(_tar()), _opened)
    yield "zip", Reader("data.zip", _zip(), _opened)
    params = (ROOT / "params.yaml").read_bytes()
    yield "params.yaml", Reader("params.yaml", params, lambda path: resolve(read_params(path), {}))
    mention = {"left": "In ", "mention": "the tower", "right": " it rang.", "gold": "e1"}
    yield "mentions", Reader("m.jsonl", _lines(mention), lambda path: list(read_mentions(path)))
    model = folder / "model"
    tiny.make_model(tiny.make_encoder(folder / "encoder")).save_pretrained(model)
    for file in sorted(path for path in model.rglob("*") if path.is_file()):
        if file.parent.name != "entity_encoder" and file.name != "README.md":
            name = str(file.relative_to(model))
            yield (
                f"model, {file.name}",
                Reader(
                    name,
                    file.read_bytes(),
                    partial(_put_in, model, name, BiEncoder.from_pretrained),
                ),
            )
    index = indexes.made(folder / "words", 10).folder / "index"
    old = {key: value for key, value in read_json(index / "index.json").items() if key != "sha256"}
    yield (
        "index.json",
        Reader(  # as it was before it had a checksum
            "index.json", _lines(old), partial(_put_in, index, "index.json", _asked)
        ),
    )
    Checkpoints(folder, "key").save("last", {"step": 1, "weights": torch.ones(4)})
    state = {f"{side}_encoder.x": torch.ones(3) for side in ("ctx", "ent")}
    torch.save(state, folder / "released.bin")
    last, released = (folder / name for name in ("last.pt", "released.bin"))
    yield (
        "checkpoint",
        Reader(
            "last.pt", last.read_bytes(), lambda path: Checkpoints(path.parent, "key").load("last")
        ),
    )
    yield (
        "released weights",
        Reader("w.bin", released.read_bytes(), lambda path: split_towers(read_state(path), path)),
    )


def _rdf_xml() -> bytes:
    import rdflib

    return rdflib.Graph().parse(data=SKOS, format="turtle").serialize(format="xml").encode()


def _put_in(good: Path, name: str, opening: Callable[[Path], object], path: Path) -> None:
    """Open a folder in which a file is the changed one."""
    whole = path.parents[len(Path(name).parts) - 1]
    for one in good.rglob("*"):
        target = whole / one.relative_to(good)
        if one.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(one, target)
    opening(whole)


def _asked(folder: Path) -> None:
    indexes.answers(Index.open(folder))


def attack(plan: Plan) -> Iterator[Case]:
    """What each reader says to changed files."""
    forms = dict(readers(plan.folder))
    for number, chance in plan.turns():
        for kind, reader in forms.items():
            outer = plan.folder / "outer"
            path = outer / "inner" / reader.name
            path.parent.mkdir(parents=True)
            path.write_bytes(odd(reader.valid, chance))
            ended = bounded(_careless if plan.fault else partial(reader.work, path))
            wrong = ended.crash or "; ".join(
                f"wrote {one}" for one in outer.iterdir() if one.name != "inner"
            )
            shutil.rmtree(outer)
            yield Case(kind, f"case {number}", wrong)


def _careless() -> None:
    """The fault: a reader that trusts its file."""
    raise ValueError("no number")
