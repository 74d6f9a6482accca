"""Codes by chance."""
import random


def random_code(seed: int, length: int = 8, digits: bool = False) -> str:
    """Makes a code of letters and digits by chance. It is for games and names, not for what must stay secret.

    Args:
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.
        length: how many signs, 1 to 64.
        digits: of digits only.

    Returns:
        The code.
    """
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    if not 1 <= length <= 64:
        raise ValueError(f"length {length}: allowed are 1 to 64")
    signs = "0123456789" if digits else "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
    chance = random.Random(seed)
    return "".join(chance.choice(signs) for _ in range(length))
