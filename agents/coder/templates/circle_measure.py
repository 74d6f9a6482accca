"""Circles."""
import math


def circle_measure(measure: str, size: float, given: str = "radius") -> float:
    """Works out the area, the circumference, the diameter or the radius of a circle.

    Args:
        measure: area, circumference, diameter or radius.
        size: how large the circle is, 0 to 1e9.
        given: what size is, radius or diameter or circumference.

    Returns:
        The measure, in the same unit or its square.
    """
    if not 0 <= size <= 1e9:
        raise ValueError(f"size {size}: allowed are 0 to 1e9")
    divisors = {"radius": 1.0, "diameter": 2.0, "circumference": 2 * math.pi}
    if given not in divisors:
        raise ValueError(f"given {given!r}: allowed are {', '.join(divisors)}")
    radius = size / divisors[given]
    measures = {"area": math.pi * radius**2, "circumference": 2 * math.pi * radius, "diameter": 2 * radius, "radius": radius}
    if measure not in measures:
        raise ValueError(f"measure {measure!r}: allowed are {', '.join(measures)}")
    return measures[measure]
