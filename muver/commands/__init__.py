"""The commands of ``muver``: one module a stage, each a thin layer over plain functions."""

import argparse
import json
from typing import Any


def json_settings(text: str) -> dict[str, Any]:
    """Parse the value of ``--settings``: a JSON object, as the workflow passes it."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("expected a JSON object such as '{\"layers\": 4}'")
    return value
