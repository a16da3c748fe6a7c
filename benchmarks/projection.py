"""Projects the hours of ZESHEL's Table 1 from measured steps, encoding and ranking.

All trainings have the paper's settings, and sequences of the greatest lengths. On a processor the
same is measured with fewer mentions a step, and scaled up.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
import yaml

from benchmarks import flops
from benchmarks.context import Context
from benchmarks.data import Case
from benchmarks.ours import Tower, rank_world
from benchmarks.ranking import made_world
from benchmarks.rows import Findings, Row
from benchmarks.timing import in_turn
from benchmarks.training import Batch, Ours
from muver.io.typed import read
from muver.retriever.encoders.encoders_settings import ModelConfig
from muver.retriever.encoders.scores import sum_of_max
from muver.retriever.retrieval.tokens import float32_sums
from muver.retriever.views.layout import Ids

# params.yaml's; of a step's mentions a processor takes a few.
MENTIONS, EPOCHS, VALIDATE_EVERY = 128, 20, 500
CHUNK_TOKENS, GRAPH_TOKENS = 16384, 65536
FEW_MENTIONS = 4
CONTEXT_TOKENS, VIEW_TOKENS = 128, 28  # of a mention, and of a view of MuVER's in the mean
# Views of a test entity: the paper's Table 3, without merging, and after its last setting.
ORIGINAL_VIEWS, MERGED_VIEWS = 15.33, 32.48
TOKEN_VECTORS = read(
    ModelConfig,
    {
        "views": {"kind": "tokens", "max_tokens": CONTEXT_TOKENS},
        "context": {"max_tokens": CONTEXT_TOKENS},
        "score": "sum_max",
    },
)


class Form(NamedTuple):
    """Trainings of one shape: how many, and the views of an entity with their tokens."""

    trainings: int
    views: int
    tokens: int
    in_all: float = 1  # views of an entity that are encoded to rank, of so many tokens
    seen: int | None = None
    token_vectors: bool = False


FORMS = {
    "BLINK (128 tokens)": Form(1, 1, 128),
    "BLINK (512 tokens)": Form(1, 1, 512),
    "Partalidou et al.": Form(3, 1, 128),  # the fourth of its poolings is BLINK's own
    "SOM": Form(1, 1, 128, token_vectors=True),
    "MuVER": Form(1, 10, 40, ORIGINAL_VIEWS, VIEW_TOKENS),
}


class Rates(NamedTuple):
    """What this machine did: GFLOP/s of encoding and of token vectors' products, and the seconds to
    rank a mention among a view.
    """

    encoding: float
    products: float
    ranking: float


def run(context: Context) -> Findings:
    """In each precision a row for every shape of training, and one for the whole table."""
    findings = Findings()
    options, config, model = context.options, context.case.config, context.case.model
    own = model.config
    mentions = MENTIONS if options.device == "cuda" else FEW_MENTIONS
    counts = zeshel()
    for precision in options.precisions:
        rates, whole = _rates(context, precision), 0.0
        for name, form in FORMS.items():
            model.config = TOKEN_VECTORS if form.token_vectors else own
            full = full_batch(context.case, form, mentions)
            batch, ours = (
                Batch(full, mentions),
                Ours(full, options.device, precision, options.threads),
            )
            how = (CHUNK_TOKENS, GRAPH_TOKENS * mentions // MENTIONS)
            (timed,) = in_turn(
                {name: lambda ours=ours, batch=batch, how=how: ours.run(batch, *how)},
                options.repetitions,
            ).values()
            what = f"{name}, the step"
            work = batch.work(full)
            findings.rows.append(
                context.share_of_peak("paper's batch", what, precision, work, timed.seconds)
            )
            step = timed.seconds * MENTIONS / mentions
            parts = hours(form, step, rates, counts, config)
            whole += sum(parts.values())
            findings.rows.append(
                Row(
                    "projected",
                    f"ZESHEL, {name}, {precision}",
                    "h",
                    ours=sum(parts.values()),
                    remark=", ".join(f"{part} {took:.2f}" for part, took in parts.items())
                    + f"; from steps of {mentions} mentions, {step:.3g} s for {MENTIONS}",
                )
            )
        sizes = f"{config.num_hidden_layers} layers of {config.hidden_size}"
        findings.rows.append(
            Row(
                "projected",
                f"ZESHEL, Table 1, {sizes}, {precision}",
                "h",
                ours=whole,
                ratio=whole,
                remark="every sequence full, one job after another; tokenising, BM25 and reading "
                "not counted",
            )
        )
    model.config = own
    model.zero_grad()
    model.eval()
    return findings


def hours(
    form: Form, step: float, rates: Rates, counts: dict[str, int], config: flops.BertConfig
) -> dict[str, float]:
    """Hours of each part of a row, from a step's seconds and the rates.

    MuVER's row has its merged views too, each as long as three of its own. Worlds are of one size.
    """
    steps = counts["train_mentions"] * EPOCHS // MENTIONS
    validations = -(-steps // VALIDATE_EVERY) * form.trainings

    def split(name: str, views: float) -> float:
        entities, mentions = counts[f"{name}_entities"], counts[f"{name}_mentions"]
        one = flops.forward(config, [form.seen or form.tokens])
        asked = mentions * flops.forward(config, [CONTEXT_TOKENS])
        seconds = 1e-9 * (entities * views * one + asked) / rates.encoding
        pairs = mentions * entities / counts[f"{name}_worlds"]
        if form.token_vectors:
            products = 2e-9 * pairs * CONTEXT_TOKENS * form.tokens * config.hidden_size
            return seconds + products / rates.products
        return seconds + pairs * views * rates.ranking

    merged = 3 * (MERGED_VIEWS - ORIGINAL_VIEWS) if form.views > 1 else 0
    seconds = {
        "training": form.trainings * steps * step,
        "validation": validations * split("val", form.in_all),
        "test": split("test", form.in_all + merged),
    }
    return {name: own / 3600 for name, own in seconds.items()}


def full_batch(case: Case, form: Form, mentions: int) -> Case:
    """The case with training sequences of the greatest lengths, for a model of this form."""
    random = np.random.Generator(np.random.PCG64(3))

    def sequence(length: int) -> Ids:
        inner = random.integers(1000, case.config.vocab_size, length - 2)
        return [*case.markers.bos, *inner.tolist(), *case.markers.eos]

    return replace(
        case,
        batch_contexts=[sequence(CONTEXT_TOKENS) for _ in range(mentions)],
        batch_golds=list(range(mentions)),
        batch_views={
            n: [sequence(form.tokens) for _ in range(form.views)] for n in range(mentions)
        },
    )


@torch.inference_mode()
def _rates(context: Context, precision: str) -> Rates:
    options, case = context.options, context.case
    flat = [ids for views in case.sample(options.entities) for ids in views]
    tower = Tower(case, options.device, precision, options.batch_tokens)
    world = made_world(16000, 64, case.config.hidden_size)
    vectors = torch.randn(16, CONTEXT_TOKENS, case.config.hidden_size, device=options.device)
    mask = torch.ones(vectors.shape[:2], device=options.device)

    def products() -> torch.Tensor:
        with tower.in_precision(), float32_sums(vectors.device):
            return sum_of_max(vectors, mask, vectors, mask)

    timed = in_turn(
        {
            "views": lambda: tower.views(flat),
            "ranking": lambda: rank_world(
                world.mentions, world.views, world.owners, world.titles, "softmax_sum"
            ),
            "products": products,
        },
        options.repetitions,
    )
    pairs = len(vectors) ** 2 * CONTEXT_TOKENS**2
    return Rates(
        1e-9 * flops.forward(case.config, [len(ids) for ids in flat]) / timed["views"].seconds,
        2e-9 * pairs * case.config.hidden_size / timed["products"].seconds,
        timed["ranking"].seconds / len(world.mentions) / len(world.views),
    )


def zeshel() -> dict[str, int]:
    """ZESHEL's published counts by split."""
    from importlib.resources import files

    text = (files("muver.retriever.corpus") / "sources.yaml").read_text(encoding="utf-8")
    published = yaml.safe_load(text)["zeshel"]["published"]
    worlds = [world["split"] for world in published["worlds"].values()]
    return {
        f"{split}_{what}": number
        for split in ("train", "val", "test")
        for what, number in (
            *((what, published[what][split]) for what in ("mentions", "entities")),
            ("worlds", worlds.count(split)),
        )
    }
