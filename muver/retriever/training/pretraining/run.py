"""The pre-training stage: train an encoder further on the training worlds' texts."""

import json
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import copy, read_json, sha256_of, write_manifest, write_text
from muver.retriever.encoders import device
from muver.retriever.encoders.bert import Bert
from muver.retriever.encoders.encoders_settings import Machine
from muver.retriever.encoders.files import MANIFEST_FILE, TOKENIZER_FILE
from muver.retriever.encoders.sizes import is_packed
from muver.retriever.encoders.tokens import Pieces
from muver.retriever.training.pretraining.cloze import training_wikis
from muver.retriever.training.pretraining.loop import Pretrainer
from muver.retriever.training.training_settings import Pretraining


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
    """Train an encoder on texts, and write it with the log of its losses.

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
    pooling = vectors.get("pooling", "cls")
    scale = settings.initial_scale if settings.vectors == "unit" else None
    trainer = Pretrainer(tower, pieces, wikis, settings, accelerator, chunk_tokens, pooling, scale)
    lines = trainer.run()
    tower.to("cpu").save(out)
    copy(start / TOKENIZER_FILE, out / TOKENIZER_FILE)
    write_text(training_log, "".join(json.dumps(line) + "\n" for line in lines))
    own = settings.as_dict()
    files = {path.name: sha256_of(path) for path in (entities, sentences)}
    identity = {**made_of["identity"], "pretrain": own}
    write_manifest(
        out / MANIFEST_FILE, "pretrain", own, files, name=made_of["name"], identity=identity
    )
