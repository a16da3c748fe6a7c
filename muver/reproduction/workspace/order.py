"""Which of the jobs that could start is to start first: what else might run alone at the end.

These are what a trained model's vectors lead to, as merging follows encoding, and then of the
trainings the longest.
"""

from muver.reproduction.workspace.artifact import Artifact

VECTORS = 10**9  # priority of encoding and merging: before any training
ALL_VIEWS = 10  # of an entity, where training takes them all and the data are not read yet


def priority(training: Artifact) -> int:
    """Tokens that a training reads for a mention in all epochs, at most, as far as settings say.

    Parameters
    ----------
    training
        A trained model or a point of the grid.
    """
    own = training.settings
    views, negatives = own["views"], own.get("negatives", {}).get("per_mention", 0)
    several = views.get("training_views", 1) or ALL_VIEWS
    entities = (1 + negatives) * several * views["max_tokens"]
    return own["training"]["epochs"] * (own["context"]["max_tokens"] + entities)
