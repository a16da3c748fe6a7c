"""Where everything lies that the workflow makes, what asks for what, and which code makes it."""

from muver.workspace.code import code
from muver.workspace.linked import LinkedWorkspace
from muver.workspace.needs import Needs, needs_of
from muver.workspace.paths import Workspace

__all__ = ["LinkedWorkspace", "Needs", "Workspace", "code", "needs_of"]
