"""Cylinders and cones."""
import math


def cylinder_volume(shape: str, radius: float, height: float) -> float:
    """Works out the volume of a cylinder or of a cone.

    Args:
        shape: cylinder or cone.
        radius: its radius, 0 to 1e6.
        height: its height, 0 to 1e6.

    Returns:
        The volume.
    """
    if not 0 <= radius <= 1e6:
        raise ValueError(f"radius {radius}: allowed are 0 to 1e6")
    if not 0 <= height <= 1e6:
        raise ValueError(f"height {height}: allowed are 0 to 1e6")
    if shape not in ("cylinder", "cone"):
        raise ValueError(f"shape {shape!r}: allowed are cylinder and cone")
    volume = math.pi * radius**2 * height
    return volume if shape == "cylinder" else volume / 3
