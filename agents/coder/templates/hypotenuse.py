"""Right triangles."""
import math


def hypotenuse(first: float, second: float) -> float:
    """Works out the longest side of a right triangle.

    Args:
        first: one of the short sides, 0 to 1e12.
        second: the other short side, 0 to 1e12.

    Returns:
        The hypotenuse.
    """
    if not 0 <= first <= 1e12:
        raise ValueError(f"first {first}: allowed are 0 to 1e12")
    if not 0 <= second <= 1e12:
        raise ValueError(f"second {second}: allowed are 0 to 1e12")
    return math.hypot(first, second)
