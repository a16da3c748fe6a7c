"""To the hub and back, by its client: with its cache, its tokens and its offline mode."""

from pathlib import Path

from muver.io.errors import InputError
from muver.io.progress import logger


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
