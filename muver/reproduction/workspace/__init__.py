"""What is made of what, where it lies, and which code makes it."""

from collections.abc import Mapping
from typing import Any

from muver.reproduction.settings.knowledge_base import has_knowledge_base
from muver.reproduction.workspace.artifact import Artifact
from muver.reproduction.workspace.code import code
from muver.reproduction.workspace.graph import Graph
from muver.reproduction.workspace.knowledge_base import KnowledgeBase
from muver.reproduction.workspace.worlds import Worlds

__all__ = ["Artifact", "Graph", "KnowledgeBase", "Worlds", "code", "graph_of"]


def graph_of(settings: Mapping[str, Any]) -> Graph:
    """The graph of the dataset that the settings name."""
    return KnowledgeBase(settings) if has_knowledge_base(settings) else Worlds(settings)
