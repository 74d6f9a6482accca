"""Common divisors."""
import math


def greatest_common_divisor(numbers: list[float]) -> int:
    """Finds the greatest whole number that divides all of some numbers.

    Args:
        numbers: the numbers, whole ones above 0, 2 to 100 of them.

    Returns:
        The greatest common divisor.
    """
    if not 2 <= len(numbers) <= 100:
        raise ValueError(f"{len(numbers)} numbers: allowed are 2 to 100")
    if any(n < 1 or n > 1e15 or n != int(n) for n in numbers):
        raise ValueError("allowed are whole numbers from 1 to 1e15")
    return math.gcd(*(int(n) for n in numbers))
