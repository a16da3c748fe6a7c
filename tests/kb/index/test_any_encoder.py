"""An index with encoders of four makes, untrained.

Each family that users have is compared with its library in tests/retriever/encoders.
"""

import pytest

from muver import Index, Mention
from tests import families, tiny


@pytest.mark.parametrize("family", ["BERT", "RoBERTa", "T5", "Qwen3"])
def test_an_index_is_made_asked_and_added_to(family, entities, tmp_path):
    encoder = families.with_modules(
        families.make(family, tmp_path / "encoder"), "mean", query="q: "
    )
    index = Index.create(tmp_path / "index", entities[:4], model=str(encoder), context_tokens=32)
    mention = Mention(tiny.WORDS[2], left="The", right="saw it.", world="alder")
    (found,) = index.retrieve([mention], k=5)
    assert {one.document_id for one in found} == {"e0", "e2"}
    index.add(entities[4:6])
    (again,) = Index.open(tmp_path / "index").retrieve([mention], k=5)
    assert {one.document_id for one in again} == {"e0", "e2", "e4"}
    scores = {one.document_id: one.score for one in again}
    assert all(scores[one.document_id] == pytest.approx(one.score, abs=1e-4) for one in found)
