"""Which of the trainings that could start is to start first: the longest.

Else the longest may run alone at the end, while other cores wait.
"""

from muver.workspace.artifact import Artifact

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
