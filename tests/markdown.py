"""Reading Markdown."""

import re
from pathlib import Path


def anchors(path: Path) -> set[str]:
    """Anchors of a file's headings, as GitHub and GitLab make them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
