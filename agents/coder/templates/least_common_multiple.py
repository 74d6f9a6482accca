"""Common multiples."""
import math


def least_common_multiple(numbers: list[float]) -> int:
    """Finds the least whole number that all of some numbers divide.

    Args:
        numbers: the numbers, whole ones above 0, 2 to 20 of them.

    Returns:
        The least common multiple.
    """
    if not 2 <= len(numbers) <= 20:
        raise ValueError(f"{len(numbers)} numbers: allowed are 2 to 20")
    if any(n < 1 or n > 1e6 or n != int(n) for n in numbers):
        raise ValueError("allowed are whole numbers from 1 to 1000000")
    return math.lcm(*(int(n) for n in numbers))
