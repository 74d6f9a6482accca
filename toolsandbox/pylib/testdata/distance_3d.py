"""Distances between points in space."""
import numpy as np


def distance_3d(point_a: list[float], point_b: list[float]) -> float:
    """Calculate the Euclidean distance between two points in 3D space.

    Args:
        point_a: x, y and z of the first point, metres.
        point_b: x, y and z of the second point, metres.

    Returns:
        The distance in metres.
    """
    a = np.array(point_a, dtype=np.float64)
    b = np.array(point_b, dtype=np.float64)
    if a.shape != (3,) or b.shape != (3,):
        raise ValueError(f"Both points need exactly 3 coordinates, got {a.shape} and {b.shape}")
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        raise ValueError("Coordinates must be finite")
    return float(np.linalg.norm(a - b))
