"""Ratios and fractions."""
import math


def simplify_ratio(first: int, second: int) -> list[int]:
    """Cancels a ratio or a fraction.

    Args:
        first: the first number, 1 to 1000000000000.
        second: the second number, 1 to 1000000000000.

    Returns:
        Both numbers without their common factor.
    """
    if not 1 <= first <= 1000000000000:
        raise ValueError(f"first {first}: allowed are 1 to 1000000000000")
    if not 1 <= second <= 1000000000000:
        raise ValueError(f"second {second}: allowed are 1 to 1000000000000")
    common = math.gcd(first, second)
    return [first // common, second // common]
