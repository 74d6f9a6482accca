"""Cards."""
import random

_RANKS = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")


def draw_card(seed: int) -> str:
    """Draws a card from a deck of 52.

    Args:
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.

    Returns:
        The card.
    """
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    chance = random.Random(seed)
    return chance.choice(_RANKS) + " of " + chance.choice(("clubs", "diamonds", "hearts", "spades"))
