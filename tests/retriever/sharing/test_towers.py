"""Exported towers in sentence-transformers: the same vectors, and what is on their card."""

import json

import pytest
import torch

from muver.cli import main
from muver.io.files import write_json, write_text
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.start import take_encoder
from muver.retriever.evaluation.recall import scored
from muver.retriever.training.start import as_the_makers
from muver.retriever.views.build import entity_views, mention_contexts
from tests import families, tiny
from tests.blank import blank_evaluation
from tests.retriever.evaluation.conftest import make_ranks

MENTIONS = [
    ("The king saw", "the raven", "twice."),
    ("", "tower", ", and the bell."),
    ("raven of the valley,", "Bell", ""),
    ("", "lantern", "of the harbour " * 30),
]
SENTENCES = ["The raven saw it.", "It rang twice in winter."]
PROMPTS = {"query": "king : ", "document": "tower: "}


def made(family: str, pooling: str, dense: int, scale: float | None, prompts: dict, folder):
    """A model whose towers differ, in a directory."""
    source = families.make(family, folder / "source")
    families.with_modules(source, pooling, dense, scale is not None, **prompts)
    take_encoder(source, folder / "taken", with_pooling=True)
    config = as_the_makers(tiny.config(), folder / "taken", scale)
    model = BiEncoder.from_encoder(folder / "taken", config).eval()
    with torch.no_grad():
        for weight in model.entity_encoder.parameters():
            weight.add_(0.01)
    model.save_pretrained(folder / "model")
    return model


@pytest.mark.parametrize(
    ("family", "pooling", "dense", "scale", "prompts"),
    [
        ("BERT", "mean", 0, 20.0, PROMPTS),
        ("RoBERTa", "mean", 24, 20.0, PROMPTS),
        ("Qwen3", "lasttoken", 0, None, {}),
    ],
)
def test_the_same_vectors(family, pooling, dense, scale, prompts, tmp_path):
    library = pytest.importorskip("sentence_transformers")
    model = made(family, pooling, dense, scale, prompts, tmp_path)
    exported = tmp_path / "exported"
    assert main(["export", str(tmp_path / "model"), "--to", str(exported)]) == 0
    markers, pieces = model.pieces.markers, model.pieces
    numbers = (markers.mention_start, markers.mention_end, markers.title_end)
    start, end, title = map(pieces.name, numbers)
    contexts = [f"{a} {start} {b} {end}{' ' * c[:1].isalnum()}{c}".strip() for a, b, c in MENTIONS]
    views = [f"king tower {title} {sentence}" for sentence in SENTENCES]
    config = model.config
    ids = mention_contexts(*zip(*MENTIONS, strict=True), config.context, pieces)
    (own,) = entity_views(["king tower"], [""], [SENTENCES], config.views, pieces)
    with torch.no_grad():
        expected = (
            model.encode_mentions(pack(ids)),
            model.encode_views(pack([view.ids for view in own])),
        )
    one = library.SentenceTransformer(str(exported), device="cpu")
    towers = [
        library.SentenceTransformer(str(exported / name), device="cpu")
        for name in ("mention_encoder", "entity_encoder")
    ]
    for ours, texts, encode, tower in (
        (expected[0], contexts, one.encode_query, towers[0]),
        (expected[1], views, one.encode_document, towers[1]),
    ):
        length = scale**0.5 if scale else 1.0
        for theirs in (encode(texts), tower.encode(texts)):
            torch.testing.assert_close(torch.tensor(theirs) * length, ours, rtol=0, atol=1e-5)
    assert one.similarity_fn_name == ("cosine" if scale else "dot")
    again = BiEncoder.from_pretrained(exported).eval()
    with torch.no_grad():
        assert torch.equal(again.encode_mentions(pack(ids)), expected[0])


def test_the_files_say_how_to_load_them(model, tmp_path):
    assert main(["export", str(model), "--to", str(tmp_path / "out")]) == 0

    def read(name):
        return json.loads((tmp_path / "out" / name).read_text())

    kinds = [one["type"].rpartition(".")[2] for one in read("mention_encoder/modules.json")]
    assert kinds == ["Transformer", "Pooling", "Normalize"]
    assert read("entity_encoder/1_Pooling/config.json")["pooling_mode"] == "cls"
    assert read("entity_encoder/sentence_bert_config.json")["max_seq_length"] == 24
    assert read("router_config.json")["structure"]["query"][0] == "mention_encoder"


@pytest.mark.parametrize("more", [{"score": "sum_max"}, {"pooling": "span"}])
def test_what_the_library_cannot_compute_is_refused(more, encoder, tmp_path, capsys):
    tiny.make_model(encoder, **more).save_pretrained(tmp_path / "model")
    assert main(["export", str(tmp_path / "model"), "--to", str(tmp_path / "out")]) == 2
    assert "computes one vector a text" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_place_that_is_taken(model, tmp_path, capsys):
    assert main(["export", str(model), "--to", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_the_card_has_what_the_workflow_recorded(model, tmp_path):
    """Of rows that retrieve by the model alone: neither of a fusion nor of another model."""
    build = tmp_path / "build" / "miniwikia"
    folder = build / "models" / "muver-1a"
    BiEncoder.from_pretrained(model).save_pretrained(folder)
    write_json(
        build / "catalog.json",
        {
            "models/muver-1a": [],
            "stores/test/muver-2b": ["models/muver-1a"],
            "merged/test/muver-3c": ["stores/test/muver-2b"],
            "runs/test/muver-4d": ["merged/test/muver-3c"],
            "runs/test/fusion-5e": ["runs/test/muver-4d", "runs/test/bm25-6f"],
            "evaluations/test/muver-7a": ["runs/test/muver-4d"],
            "evaluations/test/fusion-8b": ["runs/test/fusion-5e"],
        },
    )
    scores = scored(make_ranks([1, 2, 2, 2]), [1, 64], "mentions")
    for name in ("muver-7a", "fusion-8b"):
        own = {"system": name.partition("-")[0], "dataset": "miniwikia", "cutoffs": [1, 64]}
        write_json(build / f"evaluations/test/{name}.json", blank_evaluation(scores, **own))
    log = tmp_path / "logs/miniwikia/train/muver-1a.benchmark.tsv"
    write_text(log, "s\th:m:s\n90.0\t0:01:30\n")
    assert main(["export", str(folder), "--to", str(tmp_path / "smiths")]) == 0
    card = (tmp_path / "smiths" / "README.md").read_text()
    for said in (
        "# smiths", "[unused0] the smith [unused1]", "Licence: MIT", "Training took 1.5 minutes",
        "| `muver` | miniwikia, test | 4 | 25.0 (0.0 to 75.0) |", "The data are invented",
        "Vectors have length 1 here; muver's are 4.472 times as long",
    ):  # fmt: skip
        assert said in card, said
    assert "`fusion`" not in card
