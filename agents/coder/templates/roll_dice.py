"""Dice."""
import random


def roll_dice(seed: int, dice: int = 1, sides: int = 6) -> list[int]:
    """Rolls dice.

    Args:
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.
        dice: how many dice, 1 to 100.
        sides: how many sides each has, 2 to 1000.

    Returns:
        What each of them shows.
    """
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    if not 1 <= dice <= 100:
        raise ValueError(f"dice {dice}: allowed are 1 to 100")
    if not 2 <= sides <= 1000:
        raise ValueError(f"sides {sides}: allowed are 2 to 1000")
    chance = random.Random(seed)
    return [chance.randint(1, sides) for _ in range(dice)]
