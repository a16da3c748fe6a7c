"""What is made of what, where it lies, and which code makes it."""

from collections.abc import Mapping
from typing import Any

from muver.settings.knowledge_base import has_knowledge_base
from muver.workspace.artifact import Artifact
from muver.workspace.code import code
from muver.workspace.graph import Graph
from muver.workspace.knowledge_base import KnowledgeBase
from muver.workspace.worlds import Worlds

__all__ = ["Artifact", "Graph", "KnowledgeBase", "Worlds", "code", "graph_of"]


def graph_of(settings: Mapping[str, Any]) -> Graph:
    """The graph of the dataset that the settings name."""
    return KnowledgeBase(settings) if has_knowledge_base(settings) else Worlds(settings)
