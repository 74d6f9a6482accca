"""Time zones."""


def time_difference(first: int, second: int) -> float:
    """Says how many hours the clocks of one place are ahead of those of another.

    Args:
        first: how many minutes the first place is ahead of universal time, -900 to 900.
        second: the same of the second place, -900 to 900.

    Returns:
        The difference in hours; positive when the first is ahead.
    """
    if not -900 <= first <= 900:
        raise ValueError(f"first {first}: allowed are -900 to 900")
    if not -900 <= second <= 900:
        raise ValueError(f"second {second}: allowed are -900 to 900")
    return (first - second) / 60
