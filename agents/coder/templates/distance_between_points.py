"""Distances."""
import math


def distance_between_points(first: list[float], second: list[float]) -> float:
    """Works out how far two points are apart.

    Args:
        first: the coordinates of one point, 1 to 3 of them.
        second: those of the other, 1 to 3 of them.

    Returns:
        The distance.
    """
    if not 1 <= len(first) <= 3:
        raise ValueError(f"{len(first)} first: allowed are 1 to 3")
    if not 1 <= len(second) <= 3:
        raise ValueError(f"{len(second)} second: allowed are 1 to 3")
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} coordinates: allowed are as many for both")
    return math.dist(first, second)
