"""Main memory of reading and encoding, without what Python and its libraries take themselves."""

from collections.abc import Mapping
from typing import Any

from muver.corpus.kilt.reading import CHARACTERS_A_GROUP
from muver.plan.settings import BATCH_TOKENS, BYTES
from muver.plan.storage import Base

ENTITIES = 4096  # that are encoded at a time: muver.encoders.stages.kb_part.ENTITIES
FINISHING = 48  # bytes an entity: ids, hashes and both orders 8 each, the titles' lookup 16


def parameters(encoder: Mapping[str, int]) -> int:
    """Weights of one BERT of these sizes, without its pooling layer.

    ``(V + P + 2) H + 2 H`` of the embeddings; in each layer ``4 (H^2 + H)`` of attention,
    ``2 H I + I + H`` of the feed-forward network and ``4 H`` of the norms.
    """
    h, i = encoder["hidden_size"], encoder["intermediate_size"]
    rows = encoder["vocab_size"] + encoder["max_position_embeddings"] + 2
    layer = 4 * (h * h + h) + 2 * h * i + i + h + 4 * h
    return rows * h + 2 * h + encoder["num_hidden_layers"] * layer


def reading_memory(base: Base, settings: Mapping[str, Any]) -> int:
    """Bytes at most: of the readers together, or of finishing if that is more.

    A reader holds a line three times (its bytes, its text, its parsed page), of which
    ``line_bytes`` is the longest that is read, and a row group twice (strings, Arrow) at up to 4
    bytes a character: ``workers * (3 * line_bytes + 8 * 2^22)``. Finishing holds
    ``48 * entities``.
    """
    reader = 3 * settings["line_bytes"] + 8 * CHARACTERS_A_GROUP
    return int(max(settings["workers"] * reader, FINISHING * base.entities))


def batch_tokens(asked: int | str, gpu: bool) -> int:
    """Tokens of a batch: those asked for, or what suits the device."""
    return BATCH_TOKENS["cuda" if gpu else "cpu"] if asked == "auto" else int(asked)


def encoding_memory(
    views: int, base: Base, settings: Mapping[str, Any], gpu: bool
) -> tuple[int, int]:
    """Bytes of main memory, and of a GPU's, of one process that encodes a part.

    In main memory:

    * weights, 4 bytes each: two towers, and one more while they are read;
    * a part's vectors: ``part_bytes / dump_bytes`` of all;
    * 4096 entities' vectors in float32;
    * without a GPU the states of a batch, as far as a layer holds them at a time:
      ``batch_tokens * (2 I + 3 H) * 4``.

    In a GPU's memory: two towers, and the states of a batch; 0 without one.
    """
    encoder = settings["encoder"]
    h, i = encoder["hidden_size"], encoder["intermediate_size"]
    share = min(settings["part_bytes"] / settings["dump_bytes"], 1)
    part = views * share * h * BYTES[settings["dtype"]]
    block = min(ENTITIES, base.entities) * views / base.entities * h * 4
    states = batch_tokens(settings["batch_tokens"], gpu) * (2 * i + 3 * h) * 4
    tower = 4 * parameters(encoder)
    main = int(3 * tower + part + block)
    return (main, 2 * tower + states) if gpu else (main + states, 0)
