"""Clean up a text before it is split into sentences."""


def clean(text: str) -> str:
    """Remove the space that ZESHEL's tokenisation puts before a full stop.

    Punkt takes a full stop that stands alone for a sentence of its own. The released system does
    this clean-up and no other.

    >>> clean("He left . She stayed .")
    'He left. She stayed.'
    """
    return text.replace(" .", ".")
