"""Primes."""
import math


def next_prime(number: int) -> int:
    """Finds the first prime above a number.

    Args:
        number: the number, 0 to 1000000000.

    Returns:
        The prime.
    """
    if not 0 <= number <= 1000000000:
        raise ValueError(f"number {number}: allowed are 0 to 1000000000")
    candidate = number + 1
    while candidate < 2 or any(candidate % divisor == 0 for divisor in range(2, math.isqrt(candidate) + 1)):
        candidate += 1
    return candidate
