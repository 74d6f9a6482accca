"""Change in percent."""


def percent_change(before: float, after: float) -> float:
    """Says by how many percent a number changed.

    Args:
        before: what it was, -1e12 to 1e12.
        after: what it is, -1e12 to 1e12.

    Returns:
        The change in percent; negative when it became less.
    """
    if not -1e12 <= before <= 1e12:
        raise ValueError(f"before {before}: allowed are -1e12 to 1e12")
    if not -1e12 <= after <= 1e12:
        raise ValueError(f"after {after}: allowed are -1e12 to 1e12")
    if before == 0:
        raise ValueError("before 0: there is no change in percent from nothing")
    return (after - before) / abs(before) * 100
