"""Letters by chance."""
import random


def random_letter(seed: int) -> str:
    """Draws a letter of the alphabet by chance.

    Args:
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.

    Returns:
        The letter.
    """
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    return random.Random(seed).choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
