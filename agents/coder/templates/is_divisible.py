"""Divisibility."""


def is_divisible(number: int, divisor: int) -> bool:
    """Says whether one whole number divides another without remainder.

    Args:
        number: the number, -1000000000000 to 1000000000000.
        divisor: what may divide it, 1 to 1000000000.

    Returns:
        Whether it does.
    """
    if not -1000000000000 <= number <= 1000000000000:
        raise ValueError(f"number {number}: allowed are -1000000000000 to 1000000000000")
    if not 1 <= divisor <= 1000000000:
        raise ValueError(f"divisor {divisor}: allowed are 1 to 1000000000")
    return number % divisor == 0
