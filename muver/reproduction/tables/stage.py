"""The table stage: writes a table from evaluations, counts or an encoder's configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.typed import Settings, read
from muver.reproduction.tables import comparison, domains, linking, sizes, views
from muver.reproduction.tables import settings as kinds
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.paper import paper
from muver.reproduction.tables.render import write_table

# The settings and builder of each table that is not a comparison
KINDS = {
    "table3": (kinds.Views, views.build),
    "table4": (Settings, sizes.build_data),
    "table5": (Settings, sizes.build_models),
    "table6": (kinds.Domains, domains.build),
    "linking": (kinds.Linking, linking.build),
}


def make_table(
    name: str,
    evaluations: Sequence[Path],
    out: Path,
    settings: Mapping[str, Any],
    counts: Path | None = None,
    encoder: Path | None = None,
    mentions: Path | None = None,
) -> None:
    """Write ``out`` (.csv), and beside it the table as .md, .html, .tex and .json.

    Any ``name`` but the paper's is a comparison, whose ``settings`` have a caption. The corpus's
    ``counts`` are what Table 4 is made of, and tell the others which worlds have no mentions; its
    ``mentions`` tell `linking` their categories.
    """
    kind, build = KINDS.get(name, (kinds.Comparison, comparison.build))
    given = read(kind, settings)
    caption = getattr(given, "caption", None) or paper()[name]["caption"]
    files = TableFiles(evaluations, counts, encoder, mentions)
    write_table(out, build(name, caption, given, files))
