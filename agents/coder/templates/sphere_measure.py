"""Spheres."""
import math


def sphere_measure(measure: str, radius: float) -> float:
    """Works out the volume or the surface of a sphere.

    Args:
        measure: volume or surface.
        radius: the radius, 0 to 1e6.

    Returns:
        The measure.
    """
    if not 0 <= radius <= 1e6:
        raise ValueError(f"radius {radius}: allowed are 0 to 1e6")
    if measure == "volume":
        return 4 / 3 * math.pi * radius**3
    if measure == "surface":
        return 4 * math.pi * radius**2
    raise ValueError(f"measure {measure!r}: allowed are volume and surface")
