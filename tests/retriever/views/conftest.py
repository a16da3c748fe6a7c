"""Parameters of Punkt as NLTK's package of English has them, a few of each kind."""

from pathlib import Path

import pytest

from muver.io.files import write_text

ENGLISH = {
    "abbrev_types.txt": "mr\ndr",
    "collocations.tab": "s\tbach",
    "ortho_context.tab": "he\t46\nsmith\t8",
    "sent_starters.txt": "he",
}


@pytest.fixture
def english(tmp_path) -> Path:
    for name, text in ENGLISH.items():
        write_text(tmp_path / "english" / name, text)
    return tmp_path / "english"
