"""Choices without order."""
import math


def choose_some(things: int, chosen: int) -> str:
    """Counts in how many ways some of several things can be chosen when their order does not matter.

    Args:
        things: how many things there are, 0 to 1000.
        chosen: how many are chosen, 0 to 1000.

    Returns:
        The number of ways, in digits.
    """
    if not 0 <= things <= 1000:
        raise ValueError(f"things {things}: allowed are 0 to 1000")
    if not 0 <= chosen <= 1000:
        raise ValueError(f"chosen {chosen}: allowed are 0 to 1000")
    return str(math.comb(things, chosen))
