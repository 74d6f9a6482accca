"""Comparing amounts."""
import math


def compare_amounts(first: float, second: float) -> str:
    """Says which of two amounts of the same quantity is larger.

    Args:
        first: the first amount in a base unit, -1e12 to 1e12.
        second: the second amount in the same unit, -1e12 to 1e12.

    Returns:
        first, second or equal.
    """
    if not -1e12 <= first <= 1e12:
        raise ValueError(f"first {first}: allowed are -1e12 to 1e12")
    if not -1e12 <= second <= 1e12:
        raise ValueError(f"second {second}: allowed are -1e12 to 1e12")
    if math.isclose(first, second, rel_tol=1e-9):
        return "equal"
    return "first" if first > second else "second"
