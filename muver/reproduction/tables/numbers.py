"""Numbers as tables print them."""

from fractions import Fraction


def percent(hits: int, mentions: int) -> str:
    """A share in percent with two decimals; rounds the exact value half to even.

    >>> percent(1, 3), percent(1, 800), percent(3, 800)
    ('33.33', '0.12', '0.38')
    """
    hundredths = round(Fraction(10_000 * hits, mentions))
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def bounds(interval: list[float], sign: bool = False) -> str:
    """An interval with one decimal, or two and signs for a difference.

    >>> bounds([12.34, 56.78]), bounds([-1.5, 0.25], sign=True)
    ('12.3 to 56.8', '-1.50 to +0.25')
    """
    return " to ".join(f"{bound:{'+z.2f' if sign else '.1f'}}" for bound in interval)


def probability(value: float) -> str:
    """A p-value with three decimals.

    >>> probability(0.0421), probability(0.0001)
    ('p = 0.042', 'p < 0.001')
    """
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def spelled(value: float) -> str:
    """A setting in as few digits as identify it.

    >>> spelled(1e-5), spelled(0.10), spelled(0.0), spelled(128)
    ('1e-05', '0.1', '0', '128')
    """
    return repr(value).removesuffix(".0")
