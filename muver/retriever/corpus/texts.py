"""ZESHEL's texts: their tokenisation, and how mentions and titles overlap."""


def clean(text: str) -> str:
    """Remove the space that ZESHEL's tokenisation puts before a full stop.

    Punkt takes a full stop that stands alone for a sentence of its own. The released system does
    this clean-up and no other.

    >>> clean("He left . She stayed .")
    'He left. She stayed.'
    """
    return text.replace(" .", ".")


def category(mention: str, title: str) -> str:
    """ZESHEL's category of a mention, from its text and the gold title alone (ignoring case).

    HIGH_OVERLAP: the mention is the title; MULTIPLE_CATEGORIES: the title is the mention and a
    disambiguation in parentheses; AMBIGUOUS_SUBSTRING: the mention is a part of the title;
    LOW_OVERLAP: anything else (Logeswaran et al. 2019, section 3.2).

    >>> category("Kora", "Kora (ship)"), category("Dr . Kora", "Kora")
    ('MULTIPLE_CATEGORIES', 'LOW_OVERLAP')
    """
    mention, title = mention.lower(), title.lower()
    if mention == title:
        return "HIGH_OVERLAP"
    if title.startswith(f"{mention} (") and title.endswith(")"):
        return "MULTIPLE_CATEGORIES"
    return "AMBIGUOUS_SUBSTRING" if mention in title else "LOW_OVERLAP"
