"""A knowledge base of few words, and models to index it with."""

import pytest
import torch

from muver.kb.index.entity import Entity
from muver.retriever.encoders.biencoder import BiEncoder
from tests import tiny


@pytest.fixture(scope="session")
def model(tmp_path_factory, encoder):
    """A model's directory."""
    folder = tmp_path_factory.mktemp("model")
    tiny.make_model(encoder).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def whole_numbers():
    """Towers whose vectors are sums of small whole numbers, the same in any batch.

    All products are exact, and many are equal.
    """
    table = torch.randint(-2, 3, (1000, 32), generator=torch.Generator().manual_seed(5)).float()

    def encode(self, batch):
        vectors = torch.zeros((len(batch), 32))
        return vectors.index_add(0, batch.rows, table[batch.ids])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BiEncoder, "encode_views", encode)
        patch.setattr(BiEncoder, "encode_mentions", encode)
        yield


@pytest.fixture
def entities() -> list[Entity]:
    """Twelve entities of two worlds."""
    return [
        Entity(
            id=f"e{number}",
            title=f"{tiny.WORDS[number]} {tiny.WORDS[number + 1]}",
            description=" ".join(sentences),
            aliases=[tiny.WORDS[-number - 1]],
            world=("alder", "birch")[number % 2],
        )
        for number, sentences in enumerate(tiny.texts(12))
    ]
