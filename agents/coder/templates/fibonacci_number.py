"""Fibonacci."""


def fibonacci_number(place: int) -> str:
    """Finds the number at a place of the Fibonacci sequence 1, 1, 2, 3, 5.

    Args:
        place: the place; the first is 1, 1 to 300.

    Returns:
        The number in digits.
    """
    if not 1 <= place <= 300:
        raise ValueError(f"place {place}: allowed are 1 to 300")
    before, number = 0, 1
    for _ in range(place - 1):
        before, number = number, before + number
    return str(number)
