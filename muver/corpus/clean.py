"""The text that sentences are found in and counted by."""


def clean(text: str) -> str:
    """Undo the space that ZESHEL's tokenisation puts before a full stop.

    Punkt takes a stop that stands alone for a sentence end of its own; this is the one clean-up
    that the released system does.

    >>> clean("He left . She stayed .")
    'He left. She stayed.'
    """
    return text.replace(" .", ".")
