"""Sums of sequences."""


def sum_of_range(first: int, last: int) -> int:
    """Adds up all whole numbers from one to another.

    Args:
        first: the first number, -1000000 to 1000000.
        last: the last number, -1000000 to 1000000.

    Returns:
        The sum.
    """
    if not -1000000 <= first <= 1000000:
        raise ValueError(f"first {first}: allowed are -1000000 to 1000000")
    if not -1000000 <= last <= 1000000:
        raise ValueError(f"last {last}: allowed are -1000000 to 1000000")
    low, high = min(first, last), max(first, last)
    return (low + high) * (high - low + 1) // 2
