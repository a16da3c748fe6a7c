"""Check within seconds where an encoder comes from, without loading any of it."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.retriever.encoders.files import (
    CONFIG_FILE,
    MODEL_FILES,
    VOCABULARY_FILES,
    WEIGHT_FILES,
    is_model,
)

NEEDED = {  # one file of each kind
    "configuration": ("config.json",),
    "weights": WEIGHT_FILES,
    "vocabulary": VOCABULARY_FILES,
}
# Encoders that come with this package, by name.
SHIPPED = {"miniwikia-bert": Path(__file__).with_name("miniwikia-bert")}
PATIENCE = 10  # seconds that the hub has to answer
CURE = "name a directory that has it (--config encoder=DIR, or --model DIR of an index)"


class NotCached(InputError):
    """Whether an encoder of the hub has files of sentence-transformers is not known here."""


def place(source: str) -> Path:
    """The directory that a name means, whether there is one or not."""
    return SHIPPED.get(source, Path(source))


def at_revision(source: str) -> tuple[str, str]:
    """Name and revision, from ``NAME`` or ``NAME@REVISION``; a directory is its own name.

    >>> at_revision("someone/small-bert@1f0c"), at_revision("bert-base-uncased")
    (('someone/small-bert', '1f0c'), ('bert-base-uncased', 'main'))
    """
    name, _, revision = ("" if place(source).exists() else source).partition("@")
    return name or source, revision or "main"


def check_form(source: str) -> None:
    """Refuse what is neither an encoder's directory nor a possible hub name."""
    folder = place(source)
    if source == "scratch" or is_model(folder):
        return
    if folder.exists():
        for what, names in NEEDED.items():
            if not any((folder / name).is_file() for name in names):
                raise InputError(
                    f"encoder {source}: no {what} in it (looked for {', '.join(names)}). Expected "
                    "a Hugging Face directory."
                )
        return
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(at_revision(source)[0])
    except ValueError:
        raise InputError(
            f"encoder {source!r}: neither a directory here nor a name of the hub, such as "
            f"bert-base-uncased, OWNER/NAME or OWNER/NAME@REVISION. Check the path, or {CURE}."
        ) from None


def check_there(source: str) -> None:
    """Refuse a name that is neither in the hub's cache nor on the hub.

    It is also refused if the hub cannot be asked: without a network, or if HF_HUB_OFFLINE is set.
    """
    check_form(source)
    if source == "scratch" or place(source).exists() or cached(source):
        return
    import requests
    from huggingface_hub import constants
    from huggingface_hub.utils import build_hf_headers

    lacking = f"encoder {source!r}: neither a directory here nor in the hub's cache"
    if "/" not in source:  # such as muver, a model of params.yaml in a project's folder
        lacking = f"{lacking} (a model of params.yaml is called so only in its project's folder)"
    if is_offline():
        raise InputError(f"{lacking}, and HF_HUB_OFFLINE is set. Fetch it once, or {CURE}.")
    name, revision = at_revision(source)
    for file in ("config.json", CONFIG_FILE):
        address = f"{constants.ENDPOINT}/{name}/resolve/{revision}/{file}"
        try:
            answer = requests.get(address, headers=build_hf_headers(), timeout=PATIENCE)
        except requests.RequestException as error:
            raise InputError(
                f"{lacking}, and {constants.ENDPOINT} cannot be reached ({type(error).__name__}). "
                f"Check the network, or {CURE}."
            ) from error
        if answer.status_code not in (401, 403, 404):
            return
    raise InputError(
        f"{lacking}, and the hub has none of this name for everybody ({answer.status_code} from "
        f"{address}). Check the name, or {CURE}."
    )


def is_offline() -> bool:
    """Whether the hub's client is told to stay offline."""
    value = os.environ.get("HF_HUB_OFFLINE", "0").upper()
    return value not in ("0", "", "FALSE", "NO", "OFF")


def cached(source: str) -> Path | None:
    """An encoder's config.json in the hub's local cache, or a model's muver.json; None if that or
    the encoder's weights are missing.
    """
    from huggingface_hub import try_to_load_from_cache

    name, revision = at_revision(source)
    try:
        model, config, *weights = (
            try_to_load_from_cache(name, file, revision=revision)
            for file in (CONFIG_FILE, "config.json", *WEIGHT_FILES)
        )
    except ValueError:  # not a possible hub name
        return None
    if isinstance(model, str):
        return Path(model)
    if isinstance(config, str) and any(isinstance(file, str) for file in weights):
        return Path(config)
    return None


def pinned(source: str) -> str:
    """A name of the hub with the commit that was taken, ``NAME@REVISION``; a directory as it is."""
    found = None if place(source).exists() else cached(source)
    return f"{at_revision(source)[0]}@{found.parent.name}" if found else source


def taken_model(source: str) -> Path | None:
    """The directory of a model of two towers, perhaps in the hub's cache; None of anything else."""
    if (folder := place(source)).exists():
        return folder if is_model(folder) else None
    if (found := cached(source)) and found.name != CONFIG_FILE:
        return None
    return fetched(source, CONFIG_FILE, MODEL_FILES)


def fetched(source: str, needed: str, files: Sequence[str] | None = None) -> Path | None:
    """Fetch ``files``, by default all, of a name on the hub: their directory in the cache of its
    client. None where the hub does not answer, has no such name, or the name no file ``needed``.
    """
    from huggingface_hub import hf_hub_download, snapshot_download
    from huggingface_hub.errors import EntryNotFoundError, HTTPError

    name, revision = at_revision(source)
    try:
        found = Path(hf_hub_download(name, needed, revision=revision))
    except (HTTPError, OSError, ValueError, EntryNotFoundError):
        return None
    try:
        return Path(snapshot_download(name, revision=found.parent.name, allow_patterns=files))
    except (HTTPError, OSError, ValueError) as error:
        raise InputError(f"{source}: not all of it can be fetched ({error}).") from error


def check_before_a_run(encoder: str, warn: Callable[[str], None]) -> None:
    """Refuse an encoder that nobody has; warn of a hub that cannot be asked from this machine."""
    check_form(encoder)
    try:
        check_there(encoder)
    except InputError as error:
        if not (is_offline() or error.__cause__):
            raise
        warn(str(error))


def push_folder(folder: Path, name: str, private: bool = False) -> str:
    """Upload a folder's files as ``OWNER/NAME``; the address of the commit.

    The token is that of `hf auth login`, or HF_TOKEN.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HTTPError

    api = HfApi()
    try:
        api.create_repo(name, private=private, exist_ok=True)
        done = api.upload_folder(
            repo_id=name, folder_path=folder, commit_message="Files of muver",
            ignore_patterns=["lock", "*.tmp"],
        )  # fmt: skip
    except (HTTPError, OSError, ValueError) as error:
        raise InputError(
            f"{name}: cannot be pushed ({error}). It needs a name OWNER/NAME, the network, and a "
            "token that may write there (`hf auth login`, or HF_TOKEN)."
        ) from None
    logger.info("%s", done.commit_url)
    return done.commit_url
