"""Whether jobs of a cloud have an image with this project in it."""

from muver.io.errors import InputError

SNAKEMAKE = "snakemake/snakemake"  # what Snakemake takes if none is named


def check_image(image: str) -> None:
    """Refuse an image that can't run this project's stages.

    Parameters
    ----------
    image
        As Snakemake has it: that of ``--container-image``, or its own.

    Raises
    ------
    InputError
        If none was named.
    """
    if image.startswith(SNAKEMAKE):
        raise InputError(
            f"Jobs would run in {image}, which has no muver. Build an image of this project's "
            "Dockerfile, push it to where the jobs can fetch it, and name it: --container-image."
        )
