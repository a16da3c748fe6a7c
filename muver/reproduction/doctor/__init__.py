"""What is wrong: two runs that differ and why, and whether this machine can do what is asked."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muver.io.files import write_json


def tell(report: Mapping[str, Any], text: str, out: Path | None) -> None:
    """Print a report, write it as JSON, and end with 1 if something was ``found``."""
    if out is not None:
        write_json(out, report)
    print(text, end="")
    if report["found"]:
        sys.exit(1)
