"""The key of rows of every preset, as it was when it was last changed on purpose.

Published tables, MLflow stores and results of record find a row by its key. Here are the rows that
params.yaml writes, in each preset, and those of the default's experiments. After a change that is
meant to move keys, ``python -m tests.golden.row_keys`` writes them anew.
"""

import json
from pathlib import Path

from muver.reproduction.settings.file import home, read_params
from muver.reproduction.settings.precision import KEYS as PRECISIONS
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.settings.rows import row_settings
from muver.reproduction.tables.evaluations import row_key

PARAMS = read_params(home() / "params.yaml")
KEYS = Path(__file__).with_suffix(".json")
DATA = "0" * 16  # one fingerprint for all data: the keys are of the settings alone


def settings_of_rows(preset):
    """What makes rows of a preset, by system; the same on every machine."""
    compute = {**PARAMS["compute"], **PARAMS["presets"][preset].get("compute", {})}
    settled = {key: "fp32" for key in PRECISIONS if compute[key] == "auto"}
    settings = resolve(PARAMS, {"preset": preset, "compute": settled})
    rows = [row for row in PARAMS["systems"] if ("_wiki" in row) == settings.over_kb]
    if preset == PARAMS["preset"]:
        rows += [row for name in PARAMS["experiments"] for row in settings.tables[name].rows]
    return {row: row_settings(settings, row) for row in rows}


def keys_of_rows(preset):
    """The row keys of a preset, by system."""
    return {row: row_key(own, DATA) for row, own in settings_of_rows(preset).items()}


if __name__ == "__main__":
    keys = {preset: keys_of_rows(preset) for preset in PARAMS["presets"]}
    KEYS.write_text(json.dumps(keys, indent=1) + "\n", encoding="utf-8")
