"""Coins."""
import random


def flip_coins(seed: int, coins: int = 1) -> list[str]:
    """Flips coins.

    Args:
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.
        coins: how many coins, 1 to 100.

    Returns:
        heads or tails for each.
    """
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    if not 1 <= coins <= 100:
        raise ValueError(f"coins {coins}: allowed are 1 to 100")
    chance = random.Random(seed)
    return [chance.choice(("heads", "tails")) for _ in range(coins)]
