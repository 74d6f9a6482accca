"""Triangles."""


def triangle_area(base: float, height: float) -> float:
    """Works out the area of a triangle.

    Args:
        base: its base, 0 to 1e12.
        height: its height, 0 to 1e12.

    Returns:
        The area.
    """
    if not 0 <= base <= 1e12:
        raise ValueError(f"base {base}: allowed are 0 to 1e12")
    if not 0 <= height <= 1e12:
        raise ValueError(f"height {height}: allowed are 0 to 1e12")
    return base * height / 2
