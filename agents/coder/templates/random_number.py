"""Numbers by chance."""
import random


def random_number(seed: int, low: int = 1, high: int = 100) -> int:
    """Draws a whole number by chance.

    Args:
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.
        low: the smallest number, -1000000000 to 1000000000.
        high: the largest number, -1000000000 to 1000000000.

    Returns:
        The number.
    """
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    if not -1000000000 <= low <= 1000000000:
        raise ValueError(f"low {low}: allowed are -1000000000 to 1000000000")
    if not -1000000000 <= high <= 1000000000:
        raise ValueError(f"high {high}: allowed are -1000000000 to 1000000000")
    return random.Random(seed).randint(min(low, high), max(low, high))
