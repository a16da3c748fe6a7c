"""Files behind a run that were changed or do not belong together: likelier than any setting."""

from collections.abc import Iterator
from typing import Any

from muver.doctor.facts import digest, model_config
from muver.doctor.origin import Origin
from muver.doctor.runs import Run
from muver.encoders.files import CONFIG_FILE
from muver.evaluation.ranks import read_ranks
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import flat

Damage = dict[str, str]  # kind ("edited" or "mixed") and says, a sentence


def damages(run: Run) -> list[Damage]:
    """Everything that is wrong with the files of a run of ours."""
    if run.origin is None or run.manifest is None:
        return []
    origin = run.origin
    return [
        *({"kind": "edited", "says": sentence} for sentence in _edited(origin)),
        *({"kind": "mixed", "says": sentence} for sentence in _mixed_stores(origin, run.manifest)),
        *({"kind": "mixed", "says": sentence} for sentence in _other_model(origin)),
    ]


def _edited(origin: Origin) -> Iterator[str]:
    run, evaluation = origin.run_file, origin.evaluation
    recorded = evaluation and evaluation.run_sha256
    if run is not None and recorded is not None and digest(run) != recorded:
        yield (
            f"{run}: not the file that was evaluated (its SHA-256 is {digest(run)[:12]}..., the "
            f"evaluation's is {recorded[:12]}...): edited by hand, or made again since. Run the "
            "evaluate stage, or the retrieve stage, again."
        )


def _mixed_stores(origin: Origin, manifest: dict[str, Any]) -> Iterator[str]:
    """The store against those that the run and its further views name as theirs."""
    folders = origin.folders
    store = folders.get("stores")
    if store is None or not (store / "layer0.npy").is_file():
        return
    now = digest(store / "layer0.npy")
    claims = {"the run": manifest.get("inputs", {}).get("store")}
    for kind in ("merged", "globals", "spans"):
        if kind in folders and (own := folders[kind] / "manifest.json").is_file():
            claims[str(folders[kind])] = read_json(own)["inputs"].get("store")
    for what, claimed in claims.items():
        if claimed not in (None, now):
            yield (
                f"{store}: {what} was made from another store ({claimed[:12]}..., this one is "
                f"{now[:12]}...): two stores are mixed. Run the stages after encode again."
            )


def _other_model(origin: Origin) -> Iterator[str]:
    """A model beside the run that is not the one its row says."""
    model = origin.evaluation.settings.get("model", {}) if origin.evaluation else {}
    config = origin.folders.get("models", origin.root) / CONFIG_FILE
    if not config.is_file() or "best_of" in model:
        return
    has = dict(flat(model_config(config), "model"))
    for name, wanted in flat(model, "model"):
        # auto leaves it to the encoder's own files: whatever they said is right.
        if wanted != "auto" and has.get(name, wanted) != wanted:
            yield (
                f"{config}: {name} is {has[name]!r}, the row was evaluated with {wanted!r}: the "
                "model was trained again since, or replaced."
            )
            return


def other_ranks(run: Run, mentions: list[str], ranks: Any) -> list[Damage]:
    """Ranks of the gold entities against those that the evaluation recorded beside it."""
    scores = run.origin and run.origin.scores
    path = scores.with_suffix(".parquet") if scores else None
    if not (path and path.is_file()) or run.manifest is None:
        return []
    try:
        table = read_ranks(path)
    except InputError as error:
        return [{"kind": "edited", "says": str(error)}]
    recorded = dict(zip(table["mention_id"].to_pylist(), table["rank"].to_pylist(), strict=True))
    wrong = [
        (mention, recorded[mention], rank)
        for mention, rank in zip(mentions, ranks.tolist(), strict=True)
        if recorded.get(mention, rank) != rank
    ]
    if not wrong:
        return []
    mention, then, now = wrong[0]
    says = (
        f"{path}: gold ranks of {len(wrong)} mentions are not those of the run, for instance "
        f"{mention}: {then} there, {now} in {run.path} (0: not found). The run or the evaluation "
        "was changed since: run the evaluate stage again."
    )
    return [{"kind": "edited", "says": says}]
