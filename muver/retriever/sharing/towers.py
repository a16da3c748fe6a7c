"""A model's towers with the files by which sentence-transformers loads them to the same vectors.

FOLDER/                  the model as muver reads it, and both towers as one model: `encode_query`
                         takes the first, `encode_document` the second
FOLDER/mention_encoder/  a model of sentence-transformers: marked mentions to vectors
FOLDER/entity_encoder/   another: views of entities to vectors

(sbert.net, "Creating Custom Models"; as its version 6 reads them.)
"""

import json
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.files import MODULES_FILE, PROMPTS_FILE, TOWERS
from muver.retriever.encoders.own_pooling import POOLINGS
from muver.retriever.encoders.tokens import Pieces

TASKS = ("query", "document")  # their names of what the towers encode
ROUTER_FILE = "router_config.json"
LENGTH_FILE = "sentence_bert_config.json"


def write_towers(model: BiEncoder, folder: Path) -> None:
    """Add sentence-transformers' files to a model's directory; one that the library cannot compute
    is refused.
    """
    config, pieces = model.config, model.pieces
    pooling = {ours: theirs for theirs, ours in POOLINGS.items()}.get(config.pooling)
    if config.score != "max" or pooling is None:
        raise InputError(
            f"a model of score {config.score} and pooling {config.pooling}: sentence-transformers "
            f"computes one vector a text, by pooling {', '.join(POOLINGS.values())}."
        )
    similarity = "cosine" if config.scale else {"dot": "dot", "l2": "euclidean"}[config.metric]
    texts = config.context.prompt or "", config.views.prompt or ""
    shared = {
        "model_type": "SentenceTransformer",
        "prompts": dict(zip(TASKS, texts, strict=True)),
        "default_prompt_name": None,
        "similarity_fn_name": similarity,
    }
    lengths = config.context.max_tokens, config.views.max_tokens
    routes: dict[str, list[str]] = {}
    types: dict[str, str] = {}
    for tower, task, length in zip(TOWERS, TASKS, lengths, strict=True):
        place = folder / tower
        _write_tokenizer(pieces, place, length)
        write_json(place / LENGTH_FILE, {"max_seq_length": length, "do_lower_case": False})
        modules = {"": "Transformer", **_after(getattr(model, tower), pooling, place)}
        modules |= {f"{len(modules)}_Normalize": "Normalize"} if config.scale else {}
        _write_model(place, modules, {**shared, "default_prompt_name": task})
        of_tower = {f"{tower}/{path}".rstrip("/"): kind for path, kind in modules.items()}
        routes[task] = list(of_tower)
        types |= {path: _type(kind) for path, kind in of_tower.items()}
    _write_model(folder, {"": "Router"}, shared)
    parameters = {"default_route": TASKS[1], "allow_empty_key": True, "route_mappings": {}}
    router = {"types": types, "structure": routes, "parameters": parameters}
    write_json(folder / ROUTER_FILE, router)


def marked_texts(pieces: Pieces) -> tuple[str, str]:
    """An example of what each tower reads, with the markers of this vocabulary."""
    markers = pieces.markers
    start, end, title = map(pieces.name, markers.of_layouts)
    return (
        f"In spring {start} the smith {end} forged the gate.",
        f"Arvid Holt {title} He made the iron gate of Keld.",
    )


def _after(tower: Any, pooling: str, folder: Path) -> dict[str, str]:
    """Write what follows the transformer: the kinds of modules by their folders."""
    layers = list(getattr(tower, "dense", ()))[::2]
    size = layers[0].in_features if layers else tower.dimension
    pooling_config = {"embedding_dimension": size, "pooling_mode": pooling, "include_prompt": True}
    write_json(folder / "1_Pooling/config.json", pooling_config)
    found = {"1_Pooling": "Pooling"}
    activations = [d["activation_function"] for d in tower.model.config.dense] if layers else []
    for number, (layer, kind) in enumerate(zip(layers, activations, strict=True), start=2):
        name = f"{number}_Dense"
        home = "linear" if kind == "Identity" else "activation"
        layer_config = {
            "in_features": layer.in_features,
            "out_features": layer.out_features,
            "bias": layer.bias is not None,
            "activation_function": f"torch.nn.modules.{home}.{kind}",
        }
        write_json(folder / name / "config.json", layer_config)
        weights = {f"linear.{key}": value for key, value in layer.state_dict().items()}
        save_file(weights, folder / name / "model.safetensors")
        found[name] = "Dense"
    return found


def _write_model(folder: Path, modules: dict[str, str], config: dict[str, Any]) -> None:
    """A model of modules by their folders."""
    entries = [
        {"idx": number, "name": str(number), "path": path, "type": _type(kind)}
        for number, (path, kind) in enumerate(modules.items())
    ]
    write_json(folder / MODULES_FILE, entries)
    write_json(folder / PROMPTS_FILE, config)


def _type(kind: str) -> str:
    return f"sentence_transformers.models.{kind}"


def _write_tokenizer(pieces: Pieces, folder: Path, length: int) -> None:
    """The tokenizer, to which markers in a text are pieces, without the space before them."""
    from transformers import PreTrainedTokenizerFast

    raw = json.loads(pieces.path.read_text(encoding="utf-8"))
    raw["truncation"] = raw["padding"] = None
    markers, numbers = pieces.markers, pieces.markers.of_layouts
    kept = [token for token in raw["added_tokens"] if token["id"] not in numbers]
    flags = {"single_word": False, "lstrip": True, "rstrip": False, "normalized": False}
    added = [{"id": n, "content": pieces.name(n), **flags, "special": True} for n in numbers]
    raw["added_tokens"] = sorted([*kept, *added], key=lambda token: token["id"])
    tokenizer = Tokenizer.from_str(json.dumps(raw))
    if tokenizer.post_processor is None:
        single = " ".join([*map(pieces.name, markers.bos), "$A", *map(pieces.name, markers.eos)])
        ids = [(pieces.name(number), number) for number in (*markers.bos, *markers.eos)]
        tokenizer.post_processor = TemplateProcessing(single=single, special_tokens=ids)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=pieces.name(markers.pad), padding_side="right",
        model_max_length=length,
    ).save_pretrained(folder)  # fmt: skip
