"""Orders."""
import math


def arrangements(things: int) -> str:
    """Counts in how many orders things can stand.

    Args:
        things: how many things there are, 0 to 200.

    Returns:
        The number of orders, in digits.
    """
    if not 0 <= things <= 200:
        raise ValueError(f"things {things}: allowed are 0 to 200")
    return str(math.factorial(things))
