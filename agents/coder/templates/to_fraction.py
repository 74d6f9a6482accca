"""Fractions."""
from fractions import Fraction


def to_fraction(number: float) -> str:
    """Writes a decimal number as a fraction.

    Args:
        number: the number, -1e6 to 1e6.

    Returns:
        The fraction, such as 3/8.
    """
    if not -1e6 <= number <= 1e6:
        raise ValueError(f"number {number}: allowed are -1e6 to 1e6")
    return str(Fraction(str(number)).limit_denominator(10000))
