"""Settings of the stages that build an index and check it against exact search."""

from msgspec import field

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.typed import Count, Natural, Settings, Share, Some
from muver.retriever.retrieval.settings import Index

# By short name; {lists} is the setting. Other factory strings of faiss are passed on unchanged.
FACTORIES = {
    "ivf_sq": "IVF{lists},SQfp16",
    "ivf_sq8": "IVF{lists},SQ8",
    "opq_ivf_pq": "OPQ64_256,IVF{lists},PQ64",
    "hnsw": "HNSW32",
    "hnsw_sq": "HNSW32,SQfp16",
}
EFFORTS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]


class Build(Index, kw_only=True):
    """An index and how it is built."""

    seed: Natural
    threads: Count
    memory_mb: Count = 256
    gpu: bool = True  # if faiss has one


class Check(Settings):
    """How an index is measured.

    Attributes
    ----------
    agreement
        The first of ``efforts`` (nprobe or efSearch) with at least this agreement is chosen.
    mentions
        Size of the sample.
    """

    k: Count
    agreement: Share
    rescore: bool
    most_views: Count
    memory_mb: Count
    seed: Natural
    threads: Count
    mentions: Count = 1000
    efforts: Some[Count] = field(default_factory=lambda: list(EFFORTS))
    gpu: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.efforts != sorted(self.efforts):
            raise ValueError(f"efforts is {self.efforts}, expected increasing numbers.")


def factory_string(settings: Index, views: int) -> str:
    """The faiss string of the setting ``factory``, with its number of lists filled in.

    By default the number of lists is four times the square root of the number of views, rounded
    down to a power of two, and small enough to leave 39 views per list, below which faiss warns.
    """
    lists = settings.lists
    if lists is None:
        most = max(min(4 * int(views**0.5), views // 39), 1)
        lists = 1 << (most.bit_length() - 1)
    name = settings.factory
    if name == name.lower() and name not in FACTORIES:  # faiss's strings have capitals
        raise InputError(
            f"--settings: factory is {name!r}, expected one of {', '.join(FACTORIES)}, or a "
            f"faiss factory string.{did_you_mean(name, FACTORIES)}"
        )
    return FACTORIES.get(name, name).replace("{lists}", str(lists))
