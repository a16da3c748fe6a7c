"""Where a collection is."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.kb.index.qdrant.collection import Address

READ = {
    "http://localhost:6333/glossary": ("http://localhost:6333", "glossary", None),
    "https://q.test/behind/glossary?ef=64": ("https://q.test/behind", "glossary", 64),
    "http://localhost:6333": ("http://localhost:6333", "index", None),
    "http://localhost:6333/?ef=1": ("http://localhost:6333", "index", 1),
}


@pytest.mark.parametrize("given", READ)
def test_read(given):
    assert Address.read(given, Path("some/index")) == READ[given]


@pytest.mark.parametrize(
    "given", ["localhost:6333", "qdrant", "http:///glossary", "http://h/a?ef=", "http://h/a?ef=0",
              "http://h/a?ef=all", "http://h/a?exact=1"]
)  # fmt: skip
def test_mistakes(given):
    with pytest.raises(InputError, match=r"--qdrant .*Expected http://HOST:6333/COLLECTION"):
        Address.read(given, Path("index"))
