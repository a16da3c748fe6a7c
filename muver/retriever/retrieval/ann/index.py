"""Approximate indices on disk: built from shards, opened, searched for the best views.

A folder holds ``index.faiss``, ``centre.npy`` and ``manifest.json``. The manifest is written last;
an index without one was not finished.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import InputError
from muver.io.files import atomic_path, read_json, write_manifest
from muver.io.matrices import save_matrix
from muver.io.progress import Progress, logger
from muver.retriever.retrieval.ann import factory
from muver.retriever.retrieval.ann.settings import Build, factory_string
from muver.retriever.retrieval.ann.transform import Transform, fit
from muver.retriever.vectors.shards import Shards

INDEX, CENTRE, MANIFEST = "index.faiss", "centre.npy", "manifest.json"


def build(vectors: str | Path, out: str | Path, settings: Build) -> dict[str, Any]:
    """Build an index of all views; memory holds the index and a block of views.

    An existing index in the folder ``out`` is replaced.

    Returns
    -------
    The manifest.
    """
    shards, folder = Shards(vectors), Path(out)
    factory.set_threads(settings.threads)
    string = factory_string(settings, shards.views)
    product = settings.product
    index = factory.make(
        string,
        shards.dimension + (product == "l2"),
        product,
        settings.ef_construction,
        settings.seed,
    )
    size = factory.training_size(index, shards.views, settings.training_views)
    knob, lists = factory.knob(index), factory.lists_of(index)
    started = time.monotonic()
    transform = fit(shards, settings.centre, product == "l2", settings.memory_mb)
    index = factory.to_gpu(index, settings.gpu)
    if size:
        logger.info("%s: training on %d of %d views", string, size, shards.views)
        # The sample gets no name, so that it is freed before views are added.
        chosen = shards.sample(size, settings.seed)
        factory.train(index, transform.views(shards.gather(chosen)))
    trained = time.monotonic()
    progress = Progress("adding", shards.views, "views")
    for block in shards.blocks(settings.memory_mb):
        index.add(transform.views(block.vectors))
        progress.advance(len(block.vectors))
    progress.finish()
    added = time.monotonic()
    (folder / MANIFEST).unlink(missing_ok=True)
    _write(factory.from_gpu(index), folder / INDEX)
    save_matrix(folder / CENTRE, transform.centre)
    write_manifest(
        folder / MANIFEST,
        "ann-build",
        settings.as_dict(),
        {"model": shards.model},
        factory=string,
        product=product,
        norm=transform.norm,
        knob=knob,
        lists=lists,
        dimension=shards.dimension,
        views=shards.views,
        entities=shards.entities,
        trained_on=size,
        bytes=(folder / INDEX).stat().st_size,
        seconds={"train": round(trained - started, 1), "add": round(added - trained, 1)},
        agreement=None,
    )
    return read_json(folder / MANIFEST)


def _write(index: Any, path: Path) -> None:
    import faiss

    with atomic_path(path) as temporary:
        try:
            faiss.write_index(index, str(temporary))
        except RuntimeError as error:
            raise InputError(
                f"{path}: cannot be written ({error}). It takes as much room as the index in "
                "memory; free some and run the same command again."
            ) from None


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """The manifest of an index."""
    path = Path(folder) / MANIFEST
    if not path.is_file():
        raise InputError(f"{path}: no such file. Build the index with `muver stage ann-build`.")
    manifest = read_json(path)
    if not isinstance(manifest, dict) or manifest.get("stage") != "ann-build":
        raise InputError(
            f"{path}: not the manifest of an index. Build it with `muver stage ann-build`."
        )
    return manifest


class AnnIndex:
    """An index and the shards it was built from.

    Attributes
    ----------
    knob
        "nprobe", "efSearch" or None: what :meth:`turn` sets.
    most
        How many views one search may fetch.
    """

    def __init__(self, folder: str | Path, shards: Shards, gpu: bool = True, threads: int = 0):
        """Open an index, on a GPU if ``gpu`` is true and there is one."""
        import faiss

        self.folder, self.shards = Path(folder), shards
        self.manifest = read_manifest(folder)
        self._check_source()
        factory.set_threads(threads)
        path = self.folder / INDEX
        stated = self.manifest["bytes"]
        if not path.is_file() or path.stat().st_size != stated:
            raise InputError(
                f"{path}: missing, or not of the {stated} bytes that its manifest says. Build the "
                "index again with `muver stage ann-build`."
            )
        try:
            index = faiss.read_index(str(path))
            centre = np.load(self.folder / CENTRE)
        except (RuntimeError, OSError, ValueError) as error:
            raise InputError(
                f"{path}: damaged ({error}). Build the index again with `muver stage ann-build`."
            ) from None
        self._transform = Transform(centre, self.manifest["norm"])
        if (index.d, index.ntotal) != (self._transform.dimension, self.shards.views):
            raise InputError(
                f"{path}: {index.ntotal} vectors of {index.d} values, its manifest says "
                f"{self.shards.views} of {self._transform.dimension}. Build the index again."
            )
        self.knob: str | None = self.manifest["knob"]
        self._index = factory.to_gpu(index, gpu)
        self.most = min(shards.views, factory.most_fetched(self._index))

    def turn(self, effort: int) -> None:
        """Set nprobe or efSearch, if the index has either."""
        if self.knob is not None:
            factory.turn(self._index, self.knob, effort, self.manifest["lists"])

    def search(self, mentions: np.ndarray, fetch: int) -> tuple[np.ndarray, np.ndarray]:
        """The best views of each mention, as far as the index finds them.

        Returns ------- Products with the views as the index stores them, (n, fetch) float32, and
        the views' numbers, (n, fetch) int64; -1 where no more were found.
        """
        found, views = self._index.search(self._transform.mentions(mentions), fetch)
        return self._transform.products(mentions, found), views

    def _check_source(self) -> None:
        place = self.folder / MANIFEST
        made_by, model = self.manifest["inputs"]["model"], self.shards.model
        if made_by != model or self.manifest["views"] != self.shards.views:
            raise InputError(
                f"{place}: an index of other vectors than {self.shards.folder} holds. Build it "
                "again with `muver stage ann-build`."
            )
