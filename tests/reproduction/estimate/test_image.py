"""The image of a cloud's jobs."""

import pytest

from muver.io.errors import InputError
from muver.reproduction.estimate.image import check_image


def test_an_image_has_to_be_named():
    from snakemake.common import get_container_image

    with pytest.raises(InputError, match="--container-image"):
        check_image(get_container_image())
    check_image("registry.example.org/muver:0.1")
