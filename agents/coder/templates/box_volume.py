"""Boxes."""


def box_volume(width: float, height: float, depth: float) -> float:
    """Works out the volume of a box, or of a cube when all sides are the same.

    Args:
        width: its width, 0 to 1e6.
        height: its height, 0 to 1e6.
        depth: its depth, 0 to 1e6.

    Returns:
        The volume.
    """
    if not 0 <= width <= 1e6:
        raise ValueError(f"width {width}: allowed are 0 to 1e6")
    if not 0 <= height <= 1e6:
        raise ValueError(f"height {height}: allowed are 0 to 1e6")
    if not 0 <= depth <= 1e6:
        raise ValueError(f"depth {depth}: allowed are 0 to 1e6")
    return width * height * depth
