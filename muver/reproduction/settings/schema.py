"""The JSON schema of params.yaml, by which editors complete keys and mark mistakes.

``python -m muver.reproduction.settings.schema`` writes it anew from the types.
"""

import json
from pathlib import Path

import msgspec

from muver.io.files import write_text
from muver.reproduction.settings.params import Params

FILE = Path(__file__).parents[3] / "workflow" / "schemas" / "params.schema.json"


def as_text() -> str:
    """JSON Schema of :class:`~muver.reproduction.settings.params.Params`, one type a line."""
    made = msgspec.json.schema(Params)
    kinds = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(kind)}" for name, kind in made["$defs"].items()
    )
    return (
        '{"$schema": "https://json-schema.org/draft/2020-12/schema",\n'
        f'"$ref": "{made["$ref"]}",\n"$defs": {{\n{kinds}\n}}}}\n'
    )


if __name__ == "__main__":
    write_text(FILE, as_text())
