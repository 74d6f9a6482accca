"""Even and odd."""


def is_even(number: int) -> bool:
    """Says whether a whole number is even.

    Args:
        number: the number, -1000000000000 to 1000000000000.

    Returns:
        True when it is even, False when it is odd.
    """
    if not -1000000000000 <= number <= 1000000000000:
        raise ValueError(f"number {number}: allowed are -1000000000000 to 1000000000000")
    return number % 2 == 0
