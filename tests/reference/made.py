"""A recording of the form of the released system's, made from the tiny encoder.

Token ids, vectors and merged views come from our own layouts; scores, rankings and training are
worked out here in the plainest way, as the released system is described.
"""

import gzip
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from muver.retriever.encoders.bulk import pack
from tests import tiny
from tests.reference.replay.pipeline import Replay, load_model
from tests.reference.replay.recording import MERGING, PARTS, Recording
from tests.reference.replay.training import TRAINING_VIEWS

SETTINGS = {"max_cand_len": 20, "max_seq_len": 28, "top_k": 0.4}
RECORDED = 8  # entities whose tokens are recorded
TITLES = {"max": 5, "accumulate": 9}
TWINS = (2, 10)  # two candidates whose views are the same
REPETITIVE = 6
BATCH = [0, 2, 3, 5]
RATES = [0.0, 1e-4, 8e-4 / 9]


def world() -> dict:
    """Twelve entities: two of one title, two that look the same, one that repeats itself."""
    texts = [" ".join(some).replace(".", " .") for some in tiny.texts(12)]
    texts[5] = " ".join(texts[:5])
    texts[REPETITIVE] = " ".join([texts[6], texts[6], texts[1]])
    titles = [f"{tiny.WORDS[n]} {tiny.WORDS[n + 3]}" for n in range(12)]
    titles[11] = titles[4]
    texts[TWINS[1]], titles[TWINS[1]] = texts[TWINS[0]], titles[TWINS[0]].upper()
    mentions = [
        {
            "context_left": texts[n].lower()[: 30 * n],
            "mention": titles[n].split()[0],
            "context_right": texts[-n].lower(),
            "label_id": n,
        }
        for n in range(0, 12, 2)
    ]
    documents = [{"title": t, "text": s} for t, s in zip(titles, texts, strict=True)]
    return {"world": "made", "documents": documents, "mentions": mentions}


def make(encoder: Path) -> dict:
    """The parts of a recording."""
    inputs = world()
    blank = {"settings": SETTINGS, "entities": [{"merged": [[]] * 4}]}
    model = load_model(encoder, SETTINGS)
    replay = Replay(Recording(inputs, blank, {}, {}), model)
    counts = [len(views) for views in replay.views]
    entities = [_entity(replay, line) for line in range(RECORDED)]
    arrays = _arrays(replay, entities)
    ranks = {
        f"{name}/{kind}": _ranks(replay, arrays, name, kind) for name in MERGING for kind in TITLES
    }
    return {
        "inputs": inputs,
        "tokens": {
            "settings": SETTINGS,
            "contexts": replay.contexts,
            "views_per_entity": counts,
            "entities": entities,
        },
        "ranks": {"ranks": ranks, "training": _training(replay)},
        "arrays": arrays,
    }


def write(recording: dict, folder: Path) -> Path:
    """Write the four files."""
    folder.mkdir()
    for name in PARTS:
        with gzip.open(folder / f"{name}.json.gz", "wt") as file:
            json.dump(recording[name], file)
    np.savez(folder / "vectors.npz", **recording["arrays"])
    return folder


def _entity(replay: Replay, line: int) -> dict:
    layers = [
        [(view, vector) for owner, view, vector in _rows(layer) if owner == line]
        for layer in replay.pool
    ]
    merged = [
        [{"range": [view.first, view.last], "ids": view.ids} for view, _ in layer]
        for layer in layers[1:]
    ]
    return {
        "line": line,
        "title": replay.recording.titles[line],
        "title_ids": replay.title_ids[line],
        "sentences": replay.sentences[line],
        "views": [view.ids for view in replay.views[line]],
        "merged": merged,
        "n_total": np.cumsum([len(layer) for layer in layers])[1:].tolist(),
        "smallest_margin": None,
    }


def _rows(layer):
    return zip(layer.entities, layer.views, layer.vectors, strict=True)


def _arrays(replay: Replay, entities: list[dict]) -> dict[str, np.ndarray]:
    pools = [
        [vector for layer in replay.pool for owner, _, vector in _rows(layer) if owner == line]
        for line in range(len(replay.views))
    ]
    sizes = [len(pools[line]) for line in range(len(entities))]
    arrays = {
        "context": replay.context_vectors,
        "views": np.concatenate(pools[: len(entities)]),
        "view_offset": np.cumsum([0, *sizes[:-1]]),
    }
    for name, layers in MERGING.items():
        columns = [
            (owner, vector)
            for line in range(len(replay.views))
            for layer in replay.pool[: layers + 1]
            for owner, _, vector in _rows(layer)
            if owner == line
        ]
        vectors = np.array([vector for _, vector in columns])
        arrays[f"scores_{name}"] = replay.context_vectors @ vectors.T
        arrays[f"view_entity_{name}"] = np.array([owner for owner, _ in columns])
    return arrays


def _ranks(replay: Replay, arrays: dict, name: str, kind: str) -> list[list[int]]:
    """The walk down the views in order of their probability, title by title."""
    titles, owners = replay.recording.titles, arrays[f"view_entity_{name}"]
    lists = []
    for scores in arrays[f"scores_{name}"].astype(np.float64):
        probabilities = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
        sums: dict[int, float] = {}
        for view in np.argsort(-scores, kind="stable"):
            entity = titles.index(titles[owners[view]])
            sums[entity] = sums.get(entity, 0.0) + probabilities[view]
            if len(sums) == TITLES[kind]:
                break
        if kind == "accumulate":
            sums = dict(sorted(sums.items(), key=lambda item: -item[1]))
        lists.append(list(sums))
    return lists


def _training(replay: Replay) -> dict:
    """One batch with empty views, and three steps, by plain automatic differentiation."""
    model = replay.model
    gold = [replay.recording.inputs["mentions"][mention]["label_id"] for mention in BATCH]
    loss, scores, winners = _loss(replay, gold)
    loss.backward()
    total = torch.stack([w.grad.norm() for w in model.parameters()]).norm()
    words = model.mention_encoder.embeddings.word_embeddings.weight
    query = model.entity_encoder.encoder.layer[0].attention.self.query.weight
    batch = {
        "loss": loss.item(),
        "score_max": scores.tolist(),
        "argmax_view": winners.tolist(),
        "grad_norm_total": total.item(),
        "grad_norm_ctx_word_embeddings": words.grad.norm().item(),
        "grad_norm_ent_layer0_query": query.grad.norm().item(),
    }
    return {
        "mentions": BATCH,
        "gold": gold,
        "real_views": [min(len(replay.views[entity]), TRAINING_VIEWS) for entity in gold],
        "legacy_mask": batch,
        "v5_mask": {},
        "trajectory_legacy_mask": [_step(replay, gold, n) for n in range(len(RATES))],
    }


def _loss(replay: Replay, gold: list[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    model, width = replay.model, SETTINGS["max_cand_len"]
    model.zero_grad()
    contexts = model.encode_mentions(pack([replay.contexts[mention] for mention in BATCH]))
    columns = []
    for entity in gold:
        views = [view.ids for view in replay.views[entity][:TRAINING_VIEWS]]
        views += [[0] * width] * (TRAINING_VIEWS - len(views))
        vectors = torch.cat([model.encode_views(pack([view])) for view in views])
        columns.append(contexts @ vectors.T)
    scores = torch.stack(columns, dim=1)  # mentions, entities, views
    best, winners = scores.max(dim=2)
    return F.cross_entropy(best, torch.arange(len(BATCH))), best, winners


def _step(replay: Replay, gold: list[int], number: int) -> dict:
    """AdamW of transformers 4.1.1 at a recorded rate, after clipping to a norm of 1."""
    model, rate = replay.model, RATES[number]
    loss, _, _ = _loss(replay, gold)
    loss.backward()
    norm = torch.stack([w.grad.norm() for w in model.parameters()]).norm()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            gradient = weight.grad * min(1.0, 1.0 / (norm.item() + 1e-6))
            if number == 0:
                weight.moments = torch.zeros_like(weight), torch.zeros_like(weight)
            first, second = weight.moments
            first.mul_(0.9).add_(0.1 * gradient)
            second.mul_(0.999).add_(0.001 * gradient**2)
            correction = (1 - 0.999 ** (number + 1)) ** 0.5 / (1 - 0.9 ** (number + 1))
            weight -= rate * correction * first / (second**0.5 + 1e-6)
            if not name.endswith(("bias", "LayerNorm.weight")):
                weight -= rate * 0.01 * weight
    return {"lr": rate, "loss": loss.item(), "grad_norm": norm.item()}
