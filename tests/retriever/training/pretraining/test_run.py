"""The stage: what it writes, that it learns, that it repeats, and its gradient."""

import json
import shutil
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from accelerate import Accelerator

from muver.cli import main
from muver.io.files import read_json, write_json
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.model import load_tower
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.training import pretraining
from muver.retriever.training.cloze import draw, training_wikis
from muver.retriever.training.pretraining import Pretrainer
from muver.retriever.training.training_settings import Pretraining
from tests import tiny

SETTINGS = {
    "steps": 24,
    "batch_size": 6,
    "learning_rate": 3e-3,
    "weight_decay": 0.01,
    "warmup": 0.1,
    "clip_norm": 1.0,
    "adam_epsilon": 1e-6,
    "mask": 0.15,
    "hide_names": 0.2,
    "keep_text": 0.1,
    "context_tokens": 32,
    "initial_scale": 20,
    "vectors": "raw",
    "precision": "fp32",
    "seed": 5,
}


def arguments(out: Path, encoder: Path, corpus, counts: Path, **settings) -> list[str]:
    """A call of the stage."""
    entities, _, sentences = corpus
    return [
        "stage", "pretrain", "--settings", json.dumps({**SETTINGS, **settings}),
        "--compute", json.dumps(tiny.COMPUTE), f"--start={encoder}", f"--entities={entities}",
        f"--counts={counts}", f"--sentences={sentences}", f"--training-log={out / 'log.jsonl'}",
        f"--out={out}",
    ]  # fmt: skip


def run(out: Path, encoder: Path, corpus, counts: Path, **settings) -> dict[str, bytes]:
    """Pre-train, and return the files."""
    assert main(arguments(out, encoder, corpus, counts, **settings)) == 0
    return {path.name: path.read_bytes() for path in out.iterdir()}


def losses(files: dict[str, bytes]) -> list[dict[str, float]]:
    return [json.loads(line) for line in files["log.jsonl"].splitlines()]


@pytest.fixture(scope="module")
def made(encoder, corpus, counts, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("pretrained")
    run(out, encoder, corpus, counts)
    return out


def test_both_losses_go_down(made):
    lines = losses({"log.jsonl": (made / "log.jsonl").read_bytes()})
    assert [line["step"] for line in lines] == list(range(1, 25))
    for name in ("cloze_loss", "masked_loss"):
        first, last = (np.mean([line[name] for line in part]) for part in (lines[:8], lines[-8:]))
        assert last < 0.9 * first, name
    assert all(
        line["loss"] == pytest.approx(line["cloze_loss"] + line["masked_loss"]) for line in lines
    )


def test_the_same_bytes_twice_and_others_under_another_seed(
    made, encoder, corpus, counts, tmp_path
):
    """Dropout, which this encoder has, is drawn by the seed too."""
    first = {path.name: path.read_bytes() for path in made.iterdir()}
    assert run(tmp_path / "again", encoder, corpus, counts) == first
    other = run(tmp_path / "other", encoder, corpus, counts, steps=1, seed=6)
    same = run(tmp_path / "same", encoder, corpus, counts, steps=1)
    assert other["model.safetensors"] != same["model.safetensors"]


def test_it_is_a_bert_to_start_from_that_says_how_it_was_made(made, encoder):
    identity = read_json(made / "manifest.json")["identity"]
    assert identity == {**read_json(encoder / "manifest.json")["identity"], "pretrain": SETTINGS}
    config = tiny.config()
    model = BiEncoder.from_encoder(made, config)
    before = BiEncoder.from_encoder(encoder, config)
    for name, weight in model.mention_encoder.state_dict().items():
        assert torch.equal(weight, model.entity_encoder.state_dict()[name])
        assert weight.shape == before.mention_encoder.state_dict()[name].shape
    assert (made / "tokenizer.json").read_bytes() == (encoder / "tokenizer.json").read_bytes()


def trainer(encoder: Path, corpus, counts: Path, chunk_tokens: int, **settings) -> Pretrainer:
    entities, _, sentences = corpus
    pieces, tower = Pieces(encoder), load_tower(encoder)
    tower.eval()  # without dropout
    wikis = training_wikis(entities, counts, sentences, pieces)
    own = Pretraining(**{**SETTINGS, **settings})
    return Pretrainer(tower, pieces, wikis, own, Accelerator(cpu=True), chunk_tokens)


@pytest.mark.parametrize("chunk_tokens", [1, 100, 10_000])
def test_the_gradient_of_inverse_cloze_is_the_plain_one(encoder, corpus, counts, chunk_tokens):
    """Sequence by sequence, a softmax written out; in chunks the order of a batch is another."""
    pages = [0, 3, 7, 4]
    ours = trainer(encoder, corpus, counts, chunk_tokens, mask=0)
    wiki = ours.wikis["birch"]
    cloze, masked = ours.losses(wiki, pages, np.random.default_rng(2))
    assert masked.item() == 0
    cloze.backward()
    contexts, views, gold = draw(wiki, pages, ours.layout, np.random.default_rng(2))
    plain = load_tower(encoder).eval()
    asked, shown = (
        torch.stack([plain.states(pack([ids]))[0] for ids in some]) for some in (contexts, views)
    )
    loss = torch.stack(
        [
            torch.log(torch.exp(one @ shown.T - one @ shown[g]).sum())
            for one, g in zip(asked, gold, strict=True)
        ]
    ).mean()
    loss.backward()
    assert cloze.item() == pytest.approx(loss.item(), rel=1e-4)
    for (name, weight), other in zip(
        ours.tower.named_parameters(), plain.parameters(), strict=True
    ):
        torch.testing.assert_close(weight.grad, other.grad, rtol=1e-3, atol=1e-5, msg=name)


def test_the_pieces_that_are_hidden_are_those_that_are_scored(encoder, corpus, counts, monkeypatch):
    """With a score that is a piece's own wherever it stands, the loss shows which are scored."""
    ours = trainer(encoder, corpus, counts, 10_000, mask=0.5)
    for weight in ours.head.parameters():
        torch.nn.init.zeros_(weight)
    scores = torch.linspace(0, 5, ours.tower.config.vocab_size)
    ours.head.bias.data.copy_(scores)
    hide, states, hidden, left, seen = pretraining.hide_pieces, ours.tower.states, [], [], []

    def hiding(ids, *args):
        read, chosen = hide(ids, *args)
        hidden.extend(ids[chosen])
        left.append(read)
        return read, chosen

    def seeing(batch):
        seen.append(batch.ids.numpy())
        return states(batch)

    monkeypatch.setattr(pretraining, "hide_pieces", hiding)
    monkeypatch.setattr(ours.tower, "states", seeing)
    _, masked = ours.losses(ours.wikis["alder"], [0, 1, 2], np.random.default_rng(2))
    loss = scores.logsumexp(0) - scores[hidden].mean()
    assert masked.item() == pytest.approx(loss.item(), rel=1e-5)
    np.testing.assert_equal(seen, left)


def test_a_page_that_is_left_alone_is_in_no_batch(encoder, corpus, counts):
    """Of twelve pages a world in batches of eleven: it would have no negative, and no loss."""
    ours = trainer(encoder, corpus, counts, 100, batch_size=11)
    assert [len(pages) for _, pages in islice(ours._batches(), 6)] == [11] * 6


def with_vectors(encoder, folder: Path, **vectors) -> Path:
    """A copy of the encoder whose makers pool in another way."""
    shutil.copytree(encoder, folder)
    manifest = read_json(folder / "manifest.json")
    plain = {"pooling": "cls", "normalised": False, "query": "", "passage": ""}
    manifest["identity"]["vectors"] = {**plain, **vectors}
    write_json(folder / "manifest.json", manifest)
    return folder


def test_an_encoder_without_the_mask_piece_with_prompts_or_no_bert(
    encoder, corpus, counts, tmp_path, capsys
):
    unmasked = shutil.copytree(encoder, tmp_path / "unmasked")
    path = unmasked / "tokenizer.json"
    path.write_text(path.read_text().replace("[MASK]", "[HIDE]"))
    prompted = with_vectors(encoder, tmp_path / "prompted", query="query: ")
    other = shutil.copytree(encoder, tmp_path / "other")
    write_json(other / "config.json", {"model_type": "roberta"})
    for start, message in (
        (unmasked, "tokenizer.json: the vocabulary has no [MASK]"),
        (prompted, "it puts prompts before texts"),
        (other, "pretrain.steps"),
    ):
        assert main(arguments(tmp_path / "out", start, corpus, counts)) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_vectors_are_pooled_as_the_encoders_makers_do_in_the_form_asked_for(
    encoder, corpus, counts, made, tmp_path
):
    """At a rate of nearly nothing the first loss shows which vectors are compared."""
    first = {}
    means = with_vectors(encoder, tmp_path / "means", pooling="all", normalised=True)
    starts = {"cls": (encoder, "raw"), "mean": (means, "raw"), "unit": (means, "unit")}
    for name, (start, form) in starts.items():
        files = run(tmp_path / f"{name}_out", start, corpus, counts, steps=1, vectors=form)
        first[name] = losses(files)[0]["cloze_loss"]
    assert len(set(first.values())) == 3
    # Products of vectors of length sqrt(s) lie between -s and s.
    flat = {"steps": 1, "vectors": "unit", "initial_scale": 1e-6}
    same = run(tmp_path / "flat", means, corpus, counts, **flat)
    loss = losses(same)[0]["cloze_loss"]
    assert loss == pytest.approx(np.log(SETTINGS["batch_size"]), abs=0.4) and loss != first["unit"]
