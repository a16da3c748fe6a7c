"""What a cross-encoder teaches: its scores of the gold and the hard negatives of each mention."""

from dataclasses import replace as with_fields
from pathlib import Path
from types import SimpleNamespace

from msgspec import UNSET, UnsetType

from muver.io.files import sha256_of, write_manifest
from muver.io.parquet import table_of, write_table
from muver.io.typed import Count, Natural, Share
from muver.retriever.corpus.schema import LESSONS, negatives_of
from muver.retriever.encoders.settings import Encoding
from muver.retriever.encoders.stages.pairs import PairScorer
from muver.retriever.training.examples import examples_of
from muver.retriever.views.settings import Views
from muver.retriever.views.worlds import load_worlds


class Teach(Encoding):
    """How many of each mention's hard negatives are scored, and by which views one by one: those
    of training. Without ``views`` an entity has the teacher's own, and one score.

    With ``labelled`` those mentions alone are scored that a training with this share and ``seed``
    sees.
    """

    per_mention: Count
    views: Views | UnsetType = UNSET
    labelled: Share | UnsetType = UNSET
    seed: Natural = 0


def teach(
    model: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    negatives: Path,
    out: Path,
    manifest: Path,
    settings: Teach,
) -> None:
    """Write a cross-encoder's scores of the training mentions' candidates
    (`muver.retriever.corpus.schema.LESSONS`), and their provenance.
    """
    scorer = PairScorer(model, settings)
    config, pieces = scorer.model.config, scorer.model.pieces
    hard = negatives_of(negatives, settings.per_mention)
    texts, more = (entities, mentions, sentences, "train"), {"gold_only": True, "negatives": hard}
    views = config.views if settings.views is UNSET else settings.views
    layouts = SimpleNamespace(views=views, context=config.context)
    limit = views.training_views or None
    worlds = load_worlds(*texts, layouts, pieces, **more)
    examples = examples_of(worlds, settings.labelled, settings.seed)
    ids, scores = [], []
    for place, world in enumerate(worlds):
        world = with_fields(world, views=[own[:limit] for own in world.views])
        own = [mention for at, mention in examples if at == place]
        scores += scorer.scores(world, {n: (world.gold[n], *world.negatives[n]) for n in own})
        ids += [world.mention_ids[n] for n in own]
    write_table(out, table_of(LESSONS, [ids, scores]))
    made_of = {"negatives": sha256_of(negatives), "mentions": sha256_of(mentions)}
    write_manifest(manifest, "teach", settings.as_dict(), made_of)
