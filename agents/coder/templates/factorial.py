"""Factorials."""
import math


def factorial(number: int) -> str:
    """Multiplies all whole numbers from 1 to a number.

    Args:
        number: the number, 0 to 200.

    Returns:
        The factorial in digits.
    """
    if not 0 <= number <= 200:
        raise ValueError(f"number {number}: allowed are 0 to 200")
    return str(math.factorial(number))
