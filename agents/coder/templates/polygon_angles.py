"""Polygons."""


def polygon_angles(corners: int) -> int:
    """Adds up the inner angles of a polygon.

    Args:
        corners: how many corners it has, 3 to 1000.

    Returns:
        The sum of its angles in degrees.
    """
    if not 3 <= corners <= 1000:
        raise ValueError(f"corners {corners}: allowed are 3 to 1000")
    return (corners - 2) * 180
