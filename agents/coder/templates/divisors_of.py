"""Divisors."""
import math


def divisors_of(number: int) -> list[int]:
    """Finds all whole numbers that divide a number.

    Args:
        number: the number, 1 to 1000000000.

    Returns:
        Its divisors in order.
    """
    if not 1 <= number <= 1000000000:
        raise ValueError(f"number {number}: allowed are 1 to 1000000000")
    low = [n for n in range(1, math.isqrt(number) + 1) if number % n == 0]
    high = [number // n for n in reversed(low) if n * n != number]
    return low + high
