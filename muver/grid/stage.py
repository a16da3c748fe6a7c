"""The grid stage: training logs to the table of all points."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.grid.points import HYPERPARAMETERS, points
from muver.grid.render import to_csv, to_markdown, to_page
from muver.grid.table import build_grid
from muver.io.checking import with_defaults
from muver.io.errors import InputError
from muver.io.files import read_json, write_json, write_text
from muver.tables.latex import to_latex


def make_grid(
    logs: Sequence[Path],
    dataset: str,
    counts: Path,
    out: Path,
    settings: dict[str, Any],
    encoder: Path | None = None,
) -> str:
    """Write ``out`` (.csv) and beside it the grid as .md, .tex and .json.

    Parameters
    ----------
    logs
        Training log of every point, named after it; the rows stand in this order.
    counts
        The corpus stage's counts, which have the data's fingerprint.
    settings
        ``model``: its name. ``points``: what each sets in ``training``. ``base``: the model's
        settings. ``cutoff``: by default the ``validation_cutoff`` the model is trained with.
    encoder
        Manifest of the start encoder. Its identity joins each point's settings.

    Returns
    -------
    The grid in Markdown.
    """
    if out.suffix != ".csv":
        raise InputError(f"--out: {out} must end in .csv; .md, .tex and .json come beside it.")
    settings = with_defaults(
        settings, {"model": None, "points": None, "base": None, "cutoff": None}
    )
    for key, kind in (("model", str), ("points", dict), ("base", dict)):
        if not isinstance(settings[key], kind):
            raise InputError(f"--settings: {key} is missing or of the wrong type.")
    training = settings["base"].get("training")
    if not isinstance(training, dict):
        raise InputError("--settings: base.training must hold the settings of training.")
    check_points(settings["points"])
    known = read_json(counts)
    if known["dataset"] != dataset:
        raise InputError(f"{counts}: counts of {known['dataset']!r}, expected {dataset!r}.")
    grid = build_grid(
        settings["model"],
        settings["points"],
        settings["cutoff"] or training["validation_cutoff"],
        settings["base"],
        logs,
        dataset,
        known["fingerprint"],
        None if encoder is None else read_json(encoder)["identity"],
    )
    markdown = to_markdown(grid)
    write_json(out.with_suffix(".json"), grid)
    write_text(out.with_suffix(".md"), markdown)
    write_text(out.with_suffix(".tex"), to_latex(to_page(grid), out.stem))
    write_text(out, to_csv(grid))
    return markdown


def check_points(named: Mapping[str, Any]) -> None:
    """Refuse points out of range, or whose values are not those that their names say."""
    for name, point in named.items():
        if not isinstance(point, dict) or set(point) != set(HYPERPARAMETERS):
            raise InputError(
                f"--settings: points.{name}: expected values of {', '.join(HYPERPARAMETERS)}, "
                f"not {point!r}."
            )
        (proper,) = points({key: [value] for key, value in point.items()})
        if name != proper:
            raise InputError(f"--settings: points.{name}: the name of its values is {proper}.")
