"""JSON schemas of params.yaml and presets, and of experiments: editors complete and check by them.

``python workflow/schema.py`` writes them anew from the types.
"""

import json
from pathlib import Path

import msgspec

from muver.io.files import write_text
from muver.reproduction.settings.params import Experiment, Preset

FOLDER = Path(__file__).with_name("schemas")
KINDS = {"params.schema.json": Preset, "experiment.schema.json": Experiment}


def as_text(kind: type) -> str:
    """JSON Schema of a type of settings, one type a line."""
    schema = msgspec.json.schema(kind)
    kinds = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(kind)}" for name, kind in schema["$defs"].items()
    )
    return (
        '{"$schema": "https://json-schema.org/draft/2020-12/schema",\n'
        f'"$ref": "{schema["$ref"]}",\n"$defs": {{\n{kinds}\n}}}}\n'
    )


if __name__ == "__main__":
    for name, kind in KINDS.items():
        write_text(FOLDER / name, as_text(kind))
