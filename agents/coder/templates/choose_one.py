"""Choosing."""
import random


def choose_one(items: list[str], seed: int) -> str:
    """Chooses by chance.

    Args:
        items: what there is to choose from, 2 to 100 of them.
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.

    Returns:
        One of them.
    """
    if not 2 <= len(items) <= 100:
        raise ValueError(f"{len(items)} items: allowed are 2 to 100")
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    return random.Random(seed).choice(items)
