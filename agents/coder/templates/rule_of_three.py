"""Proportions."""


def rule_of_three(amount: float, worth: float, wanted: float) -> float:
    """Works out what an amount comes to when another amount of the same comes to something.

    Args:
        amount: the amount that is known, 0 to 1e12.
        worth: what that comes to, 0 to 1e12.
        wanted: the amount that is asked for, 0 to 1e12.

    Returns:
        What the wanted amount comes to.
    """
    if not 0 <= amount <= 1e12:
        raise ValueError(f"amount {amount}: allowed are 0 to 1e12")
    if not 0 <= worth <= 1e12:
        raise ValueError(f"worth {worth}: allowed are 0 to 1e12")
    if not 0 <= wanted <= 1e12:
        raise ValueError(f"wanted {wanted}: allowed are 0 to 1e12")
    if amount == 0:
        raise ValueError("amount 0: it says nothing about other amounts")
    return worth / amount * wanted
