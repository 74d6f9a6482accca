"""Lottery."""
import random


def draw_numbers(seed: int, count: int = 6, low: int = 1, high: int = 49) -> list[int]:
    """Draws different whole numbers by chance.

    Args:
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.
        count: how many numbers, 1 to 100.
        low: the smallest number, -1000000 to 1000000.
        high: the largest number, -1000000 to 1000000.

    Returns:
        The numbers in order.
    """
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    if not 1 <= count <= 100:
        raise ValueError(f"count {count}: allowed are 1 to 100")
    if not -1000000 <= low <= 1000000:
        raise ValueError(f"low {low}: allowed are -1000000 to 1000000")
    if not -1000000 <= high <= 1000000:
        raise ValueError(f"high {high}: allowed are -1000000 to 1000000")
    if high - low + 1 < count:
        raise ValueError(f"count {count}: there are not so many numbers from {low} to {high}")
    return sorted(random.Random(seed).sample(range(low, high + 1), count))
