"""The pre-training run; a step's loss is that of inverse cloze plus that of masked words.

As in BERT (Devlin et al. 2019), 80% of the pieces chosen to be predicted become ``[MASK]``, 10%
another piece, and 10% stay. The output weights are the tower's embeddings of pieces.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from muver.io.errors import InputError
from muver.io.files import copy, read_json, sha256_of, write_manifest, write_text
from muver.io.progress import Progress
from muver.retriever.encoders import device
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.biencoder import pool
from muver.retriever.encoders.bulk import Packed, batches_by_length, pack
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.encoders.files import MANIFEST_FILE, TOKENIZER_FILE
from muver.retriever.encoders.sizes import BertConfig, is_packed
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.training.cloze import Layout, Wiki, draw, training_wikis
from muver.retriever.training.data import epoch_batches, in_batch_loss
from muver.retriever.training.optimiser import build_optimiser, warm_up_then_decay
from muver.retriever.training.training_settings import Pretraining
from muver.retriever.views.layout import Ids

MASKED, REPLACED = 0.8, 0.1


class Pretrainer:
    """Trains one tower, from which both towers of every model start.

    The tower is moved to the accelerator's device. ``pooling`` says how vectors are made.
    """

    def __init__(
        self, tower: Bert, pieces: Pieces, wikis: dict[str, Wiki], settings: Pretraining,
        accelerator: Accelerator, chunk_tokens: int, pooling: str = "cls",
    ):  # fmt: skip
        self.pooling, markers = pooling, pieces.markers
        self.span = (markers.mention_start, markers.mention_end)
        self.settings, self.accelerator, self.chunk_tokens = settings, accelerator, chunk_tokens
        self.mask = pieces.mask
        lengths = (settings.context_tokens, tower.positions)
        self.layout = Layout(markers, self.mask, *lengths, settings.hide_names, settings.keep_text)
        self.words = np.ones(pieces.size, dtype=bool)
        self.words[[*markers.ids, self.mask]] = False
        self.wikis = wikis
        torch.manual_seed(settings.seed)
        self.tower = tower.to(accelerator.device)
        self.head = MaskedHead(tower.config).to(accelerator.device)
        self.model = nn.ModuleDict({"tower": self.tower, "head": self.head})
        self.optimiser = build_optimiser(
            self.model, settings.learning_rate, settings.weight_decay, settings.adam_epsilon
        )
        self.schedule = warm_up_then_decay(self.optimiser, settings.warmup, settings.steps)

    def run(self) -> list[dict[str, Any]]:
        """Train; return each step's losses, learning rate and norm of the gradient."""
        self.model.train()
        progress = Progress("pre-training", self.settings.steps, "steps")
        log = []
        batches = islice(self._batches(), self.settings.steps)
        for step, (wiki, pages) in enumerate(batches, start=1):
            random = np.random.default_rng([self.settings.seed, step])
            torch.manual_seed(int(random.integers(2**62)))  # for dropout
            cloze, masked = self.losses(wiki, pages, random)
            self.optimiser.zero_grad(set_to_none=True)
            (cloze + masked).backward()
            norm = clip_grad_norm_(self.model.parameters(), self.settings.clip_norm)
            self.optimiser.step()
            cloze, masked = cloze.detach(), masked.detach()
            line = {
                "loss": cloze + masked, "cloze_loss": cloze, "masked_loss": masked,
                "learning_rate": self.schedule.get_last_lr()[0], "gradient_norm": norm,
            }  # fmt: skip
            log.append({"step": step, **{name: float(value) for name, value in line.items()}})
            self.schedule.step()
            progress.advance(note=f"loss {log[-1]['loss']:.3f}")
        progress.finish()
        self.tower.eval()
        return log

    def _batches(self) -> Iterator[tuple[Wiki, list[int]]]:
        """Endless batches: a world and the numbers of its pages; a lone page has no negative."""
        pages = {name: wiki.with_text for name, wiki in self.wikis.items() if wiki.with_text}
        for epoch in count():
            size, seed = self.settings.batch_size, self.settings.seed
            for name, batch in epoch_batches(pages, size, seed, epoch):
                if len(batch) > 1:
                    yield self.wikis[name], batch.tolist()

    def losses(
        self, wiki: Wiki, pages: list[int], random: np.random.Generator
    ) -> tuple[Tensor, Tensor]:
        """The losses of inverse cloze and of masked words for a batch of pages."""
        contexts, views, gold = draw(wiki, pages, self.layout, random)
        with self.accelerator.autocast():
            asked, first = self._encode(contexts, random)
            shown, second = self._encode(views, random)
        cloze = in_batch_loss(asked @ shown.T, torch.as_tensor(gold), mask_false_negatives=True)
        losses = torch.cat([first, second])
        return cloze, losses.mean() if len(losses) else cloze.new_zeros(())

    def _pooled(self, batch: Packed, states: Tensor) -> Tensor:
        """Vectors of sequences, as a model's towers make them: (sequences, d)."""
        vectors = pool(states, batch, self.pooling, self.layout.markers, self.span)
        if self.settings.vectors == "raw":
            return vectors.float()
        return F.normalize(vectors.float(), dim=1) * self.settings.initial_scale**0.5

    def _encode(
        self, sequences: Sequence[Ids], random: np.random.Generator
    ) -> tuple[Tensor, Tensor]:
        """Vectors of sequences, (sequences, d), and the loss of each piece hidden in them."""
        chunks = list(batches_by_length([len(ids) for ids in sequences], self.chunk_tokens))
        vectors, losses = [], []
        for rows in chunks:
            batch = pack([sequences[row] for row in rows], self.accelerator.device)
            ids = batch.ids.cpu().numpy()
            read, chosen = hide_pieces(ids, self.settings.mask, self.mask, self.words, random)
            where = torch.from_numpy(chosen).to(batch.ids.device)
            states = self.tower.states(replace(batch, ids=torch.from_numpy(read).to(where.device)))
            vectors.append(self._pooled(batch, states))
            scores = self.head(states[where], self.tower.embeddings.word_embeddings.weight)
            losses.append(F.cross_entropy(scores.float(), batch.ids[where], reduction="none"))
        sorted_by_length = torch.cat(vectors)
        order = torch.from_numpy(np.concatenate(chunks)).to(sorted_by_length.device)
        in_order = torch.empty_like(sorted_by_length).index_copy(0, order, sorted_by_length)
        return in_order, torch.cat(losses)


def hide_pieces(
    ids: np.ndarray, share: float, mask: int, words: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Hide a share of the pieces: (tokens,) pieces to read, and the positions to predict.

    ``words``, (vocabulary,) bool, is False for special pieces, which are neither chosen nor
    inserted.
    """
    chosen = np.flatnonzero(words[ids] & (random.random(len(ids)) < share))
    fate = random.random(len(chosen))
    others = random.choice(np.flatnonzero(words), len(chosen))
    read = ids.copy()
    read[chosen] = np.select([fate < MASKED, fate < MASKED + REPLACED], [mask, others], ids[chosen])
    return read, chosen


class MaskedHead(nn.Module):
    """Turns states into a score of every piece of the vocabulary; used in pre-training only."""

    def __init__(self, config: BertConfig):
        super().__init__()
        size = config.hidden_size
        self.dense = nn.Linear(size, size)
        self.LayerNorm = nn.LayerNorm(size, config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        nn.init.normal_(self.dense.weight, std=config.initializer_range)
        nn.init.zeros_(self.dense.bias)

    def forward(self, states: Tensor, embeddings: Tensor) -> Tensor:
        """(tokens, d) states and (vocabulary, d) embeddings to (tokens, vocabulary)."""
        hidden = self.LayerNorm(F.gelu(self.dense(states)))
        return F.linear(hidden, embeddings, self.bias)


def pretrain(
    settings: Pretraining,
    compute: Machine,
    start: Path,
    entities: Path,
    counts: Path,
    sentences: Path,
    training_log: Path,
    out: Path,
) -> None:
    """Train an encoder on the texts of the training worlds: masked words and inverse cloze.

    It is written with the log of its losses.

    Parameters
    ----------
    start
        An encoder. The new identity is its manifest's identity with these settings.
    """
    accelerator = device.start(compute.device, settings.precision, compute.threads)
    if not is_packed(read_json(start / "config.json")):
        raise InputError(
            f"--start {start}: pre-training is for plain BERTs, and config.json is of another "
            "encoder. Set pretrain.steps to 0."
        )
    made_of = read_json(start / MANIFEST_FILE)
    vectors = made_of["identity"].get("vectors", {})
    if vectors.get("query") or vectors.get("passage"):
        raise InputError(
            f"--start {start}: it puts prompts before texts, which pre-training does not know. "
            "Set pretrain.steps to 0, or pooling to cls."
        )
    pieces, tower = Pieces(start), Bert.load(start)
    tower.require_positions("context.max_tokens", settings.context_tokens)
    wikis = training_wikis(entities, counts, sentences, pieces)
    chunk_tokens = device.batch_tokens(compute.batch_tokens, accelerator.device)
    how = accelerator, chunk_tokens, vectors.get("pooling", "cls")
    lines = Pretrainer(tower, pieces, wikis, settings, *how).run()
    tower.to("cpu").save(out)
    copy(start / TOKENIZER_FILE, out / TOKENIZER_FILE)
    write_text(training_log, "".join(json.dumps(line) + "\n" for line in lines))
    values = settings.as_dict()
    files = {path.name: sha256_of(path) for path in (entities, sentences)}
    made_of["identity"]["pretrain"] = values
    origin = {key: made_of[key] for key in ("name", "identity")}
    write_manifest(out / MANIFEST_FILE, "pretrain", values, files, **origin)
