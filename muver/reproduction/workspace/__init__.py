"""What is made of what, where it lies, and which code makes it."""

from muver.reproduction.settings.params import Resolved
from muver.reproduction.workspace.artifact import Artifact
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.knowledge_base import KnowledgeBase
from muver.reproduction.workspace.steps import code
from muver.reproduction.workspace.worlds import Worlds

__all__ = ["Artifact", "Graph", "KnowledgeBase", "Worlds", "code", "graph_of"]


def graph_of(settings: Resolved) -> Graph:
    """The graph of the dataset that the settings name."""
    return KnowledgeBase(settings) if settings.over_kb else Worlds(settings)
