"""The table stage: writes a table from evaluations, counts or an encoder's configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.typed import Settings, read
from muver.reproduction.tables import sizes
from muver.reproduction.tables.build import build
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.paper import paper
from muver.reproduction.tables.render import write_table
from muver.reproduction.tables.settings import TableSettings

COUNTED = {"table4": sizes.build_data, "table5": sizes.build_models}
# The columns of tables of recall that are not comparisons
LAYOUTS = {"table3": "views", "table6": "domains", "linking": "linking"}


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
    ``mentions`` tell their categories.
    """
    files = TableFiles(evaluations, counts, encoder, mentions)
    if name in COUNTED:
        read(Settings, settings)
        table = COUNTED[name](name, paper()[name]["caption"], files)
    else:
        asked = read(TableSettings, settings)
        caption = asked.caption or paper()[name]["caption"]
        table = build(name, caption, LAYOUTS.get(name, "comparison"), asked, files)
    write_table(out, table)
