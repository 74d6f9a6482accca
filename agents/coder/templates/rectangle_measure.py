"""Rectangles."""
import math


def rectangle_measure(measure: str, width: float, height: float) -> float:
    """Works out the area, the perimeter or the diagonal of a rectangle.

    Args:
        measure: area, perimeter or diagonal.
        width: one side, 0 to 1e12.
        height: the other side, 0 to 1e12.

    Returns:
        The measure, in the same unit or its square.
    """
    if not 0 <= width <= 1e12:
        raise ValueError(f"width {width}: allowed are 0 to 1e12")
    if not 0 <= height <= 1e12:
        raise ValueError(f"height {height}: allowed are 0 to 1e12")
    measures = {"area": width * height, "perimeter": 2 * (width + height), "diagonal": math.hypot(width, height)}
    if measure not in measures:
        raise ValueError(f"measure {measure!r}: allowed are {', '.join(measures)}")
    return measures[measure]
