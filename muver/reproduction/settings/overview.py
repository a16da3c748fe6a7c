"""config/README.md: every section of params.yaml with its keys, read off their types."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from msgspec.structs import fields

from muver.io.typed import Settings
from muver.reproduction.settings.params import Sections

FILE = Path(__file__).parents[3] / "config" / "README.md"
HEAD = """\
<!-- Written by `python -m muver.reproduction.settings.schema`. -->
# Settings

`config.yaml` replaces settings of the project's `params.yaml`, which has a value and a comment for
each. A preset lies between the two. A key that does not exist or a value of the wrong type is
refused before anything runs, with the nearest key there is.

    snakemake --cores all --configfile config/config.yaml

In another workflow, `config: config` of the `module` statement passes it on (docs/cluster.md). The
package `muver` has to be installed where Snakemake runs and on the nodes: `pip install` of this
repository.

| Section | What it is | Keys |
| --- | --- | --- |
"""


def as_text() -> str:
    """The page: a row for each section, in the order of params.yaml's type."""
    rows = (f"| `{one.name}` | {' | '.join(_cells(one.type))} |" for one in fields(Sections))
    return HEAD + "\n".join(rows) + "\n"


def _cells(kind: Any) -> tuple[str, str]:
    """What a section's type says of itself, and the keys; of entries with names, theirs."""
    section = next(_sections(kind), None)
    if section is None:
        return "a value, or a list of them", ""
    keys = ", ".join(f"`{one.name}`" for one in fields(section))
    first = section.__doc__.partition("\n")[0]
    return first, keys if kind is section else f"entries with names, each with {keys}"


def _sections(kind: Any) -> Iterator[type[Settings]]:
    if isinstance(kind, type) and issubclass(kind, Settings):
        yield kind
    for part in get_args(kind):
        yield from _sections(part)
