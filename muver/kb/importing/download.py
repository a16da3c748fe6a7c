"""What `muver stage download` does: fetch raw files or Punkt, or take what was fetched by hand."""

from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from muver.io.progress import logger
from muver.retriever.corpus.archive import find_root
from muver.retriever.corpus.corpus_settings import Download
from muver.retriever.corpus.obtain import obtain_dataset, obtain_files, place, source_folder
from muver.retriever.corpus.sources import Source, find_source
from muver.retriever.views.punkt import verify_english
from muver.retriever.views.views_settings import PUNKT_FILES


def download(
    out: Path,
    settings: Download,
    dataset: str | None = None,
    files: str | None = None,
    punkt: Literal["english"] | None = None,
    archive: Path | None = None,
    url: str | None = None,
    source: Path | None = None,
) -> None:
    """Fetch a dataset, a declared file or Punkt's English parameters, and verify it.

    One of the three is named.
    """
    declared = find_source(dataset or files or f"punkt_{punkt}")
    declared = replace(
        declared,
        address=url or settings.url or declared.address,
        sha256=settings.sha256 or declared.sha256,
    )
    obtain = obtain_dataset if dataset else obtain_files if files else obtain_english
    if declared.kind == "worlds":
        from muver.kb.importing.pages.worlds import obtain_worlds as obtain
    local = source or (Path(settings.source) if settings.source else declared.shipped)
    beside = out if files and declared.kind == "file" else out.parent / "download"
    obtain(declared, archive or beside / declared.file, local, out)


def obtain_english(source: Source, archive: Path, local: Path | None, out: Path) -> None:
    """Put the four files of Punkt's English parameters, from NLTK's package, into ``out``."""
    with source_folder(source, archive, local, out) as folder:
        english = [path.parent for path in folder.rglob(f"english/{PUNKT_FILES[0]}")]
        root = find_root(english[0] if english else folder, PUNKT_FILES)
        verify_english(root)
        place(root, out, PUNKT_FILES)
    logger.info("%s: in %s", source.name, out)
