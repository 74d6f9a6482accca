"""Squares."""
import math


def square_measure(measure: str, side: float) -> float:
    """Works out the area, the perimeter or the diagonal of a square.

    Args:
        measure: area, perimeter or diagonal.
        side: its side, 0 to 1e12.

    Returns:
        The measure, in the same unit or its square.
    """
    if not 0 <= side <= 1e12:
        raise ValueError(f"side {side}: allowed are 0 to 1e12")
    measures = {"area": side**2, "perimeter": 4 * side, "diagonal": math.sqrt(2) * side}
    if measure not in measures:
        raise ValueError(f"measure {measure!r}: allowed are {', '.join(measures)}")
    return measures[measure]
