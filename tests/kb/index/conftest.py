"""A knowledge base of few words, and models to index it with."""

import pytest

from muver.kb.index.entity import Entity
from muver.retriever.encoders.start import take_encoder
from tests import tiny


@pytest.fixture(scope="session")
def model(tmp_path_factory, encoder):
    """A model's directory."""
    folder = tmp_path_factory.mktemp("model")
    tiny.make_model(encoder).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def plain(tmp_path_factory, encoder):
    """An encoder that was not trained to find entities."""
    folder = tmp_path_factory.mktemp("plain") / "encoder"
    take_encoder(encoder, folder)
    return folder


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
