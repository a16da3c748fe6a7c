"""Where everything lies that the workflow makes, what asks for what, and which code makes it."""

from muver.workspace.code import CODE, code
from muver.workspace.needs import Needs, needs_of
from muver.workspace.paths import Workspace

__all__ = ["CODE", "Needs", "Workspace", "code", "needs_of"]
