"""What travels of a model: its card, with data, recall, cost and limits as its run recorded them,
and the commands that write and upload both.
"""

import csv
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import folder_beside, read_json, size_of, write_text
from muver.io.progress import logger
from muver.retriever.corpus.sources import all_sources
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import CONFIG_FILE, copy_model, is_model
from muver.retriever.encoders.hub import push_folder
from muver.retriever.evaluation.records import Evaluation, read_evaluation
from muver.retriever.sharing.towers import marked_texts, write_towers
from muver.retriever.training.log import LOG, told_validation

BETWEEN = ("stores", "merged", "globals", "vectors", "mention_vectors", "index")  # model and run
MOST_ROWS = 8  # that the card lists
CARD = Path(__file__).with_name("card.md")


def card_of(model: BiEncoder, folder: Path, name: str) -> str:
    """The card of the model in a directory, which goes by ``name``."""
    config = model.config
    mention, entity = marked_texts(model.pieces)
    measured = list(_evaluations(folder))
    datasets = list(dict.fromkeys(evaluation.dataset for evaluation in measured))
    invented = ""
    if any(all_sources()[dataset].shipped for dataset in datasets if dataset in all_sources()):
        invented = "\n- The data are invented. Expect nothing of it on real text."
    scaled = ""
    if config.scale:
        scaled = (
            f"\n- Vectors have length 1 here; muver's are {config.scale**0.5:.3f} times as long."
        )
    return CARD.read_text(encoding="utf-8").format(
        name=name, mention=mention, entity=entity, data=_data(datasets), scaled=scaled,
        recall=_recall(measured, folder), cost=_cost(model, folder), invented=invented,
        context=config.context.max_tokens, view=config.views.max_tokens,
        settings=json.dumps(config.as_dict(), indent=2, ensure_ascii=False),
    )  # fmt: skip


def _evaluations(folder: Path) -> Iterator[Evaluation]:
    """The evaluations of the rows of a workflow that retrieve by the model alone; none of a model
    that no workflow made.
    """
    folder = folder.resolve()
    root, model = folder.parents[1], f"models/{folder.name}"
    reads = read_json(root / "catalog.json") if (root / "catalog.json").is_file() else {}

    def rests_on_it(key: str) -> bool:
        inner = (name for name in reads.get(key, ()) if name.partition("/")[0] in BETWEEN)
        return model in reads.get(key, ()) or any(map(rests_on_it, inner))

    for key, inputs in reads.items():
        runs = [run for run in inputs if key.startswith("evaluations/") and run.startswith("runs/")]
        path = root / f"{key}.json"
        if runs and rests_on_it(runs[0]) and path.is_file():
            yield read_evaluation(path)


def _data(datasets: list[str]) -> str:
    known = all_sources()
    lines = [
        f"- {known[name].title} (`{name}`). Licence: {known[name].licence}."
        if name in known
        else f"- `{name}`, a dataset of its makers' own."
        for name in datasets
    ]
    return "\n".join(lines) or "Not recorded: no evaluation lies beside the model."


def _recall(measured: list[Evaluation], folder: Path) -> str:
    if not measured and (folder / LOG).is_file():
        cutoff, recall = told_validation(folder / LOG)
        return (
            f"Among {cutoff} candidates stands the entity of {recall:.1f} percent of the mentions "
            "that were held out of training. Nothing else was measured where it was made."
        )
    if not measured:
        return "Not measured where this model was made."
    shown = measured[0].cutoffs
    shown = sorted({shown[0], shown[len(shown) // 2], shown[-1]})
    head = ["row", "set", "mentions", *(f"R@{k}" for k in shown)]
    rows = [head, ["---"] * len(head)]
    for row in measured[:MOST_ROWS]:
        found = (
            "{:.1f} ({:.1f} to {:.1f})".format(row.micro[k], *row.interval.micro[k])
            if k in row.micro else "" for k in shown
        )  # fmt: skip
        rows.append([f"`{row.system}`", f"{row.dataset}, {row.set}", str(row.mentions), *found])
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    more = len(measured) - MOST_ROWS
    cut = f" Of {len(measured)} rows the first {MOST_ROWS}." if more > 0 else ""
    caption = f"Percent of mentions whose entity is among k candidates, with 95% intervals.{cut}"
    return f"{caption}\n\n{table}"


def _cost(model: BiEncoder, folder: Path) -> str:
    millions = sum(weight.numel() for weight in model.parameters()) / 1e6
    sentence = f"{millions:.1f} million parameters, {size_of(folder) / 1e6:.0f} MB on disk."
    folder = folder.resolve()
    logs = folder.parents[3] / "logs" if len(folder.parents) > 3 else folder
    for path in logs.glob(f"{folder.parents[1].name}/*/{folder.name}.benchmark.tsv"):
        (row,) = csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t")
        sentence += f" Training took {float(row['s']) / 60:.1f} minutes."
    return sentence


def export(model: Path, *, to: Path) -> None:
    """Write a model so that sentence-transformers loads it to the same vectors.

    The folder is a model of that library, each of its two towers is one by itself, and muver takes
    it as any model's directory.

    Parameters
    ----------
    model
        A model's directory; in a project's folder also a name of params.yaml's models.
    to
        Folder to write.
    """
    if to.exists():
        raise InputError(f"{to}: is there already. Remove it, or name another folder.")
    with folder_beside(to) as temporary:
        write_export(model, temporary, to.name)
        temporary.rename(to)
    logger.info("%s: for sentence-transformers, and a model of muver", to)


def push(model: Path, name: str, *, private: bool = False) -> None:
    """Upload a model to the hub, with a card made from its record.

    It is written as by `muver export`.

    `--model OWNER/NAME` of an index and `encoder: OWNER/NAME` take it back. The token is that of
    `hf auth login`, or HF_TOKEN. An index is pushed from Python: Index.push_to_hub.

    Parameters
    ----------
    model
        A model's directory; in a project's folder also a name of params.yaml's models.
    name
        OWNER/NAME.
    private
        Nobody else may see the model, if the name is new.
    """
    with tempfile.TemporaryDirectory() as folder:
        write_export(model, Path(folder), name)
        push_folder(Path(folder), name, private)


def write_export(model: Path, folder: Path, name: str) -> None:
    """Write the same into a folder that is there; ``name`` is what the card calls it."""
    if not is_model(model):
        raise InputError(f"{model}: no model's directory, which has {CONFIG_FILE} and two towers.")
    loaded = BiEncoder.from_pretrained(model)
    copy_model(model, folder)
    write_towers(loaded, folder)
    write_text(folder / "README.md", card_of(loaded, model, name))
