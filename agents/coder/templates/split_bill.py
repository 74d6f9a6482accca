"""Sharing a bill."""


def split_bill(amount: float, people: int, percent: float = 0.0) -> float:
    """Shares an amount of money, with a tip where one is given.

    Args:
        amount: the amount, 0 to 1e9.
        people: how many share it, 1 to 1000.
        percent: a tip in percent that is added, 0 to 100.

    Returns:
        What each pays.
    """
    if not 0 <= amount <= 1e9:
        raise ValueError(f"amount {amount}: allowed are 0 to 1e9")
    if not 1 <= people <= 1000:
        raise ValueError(f"people {people}: allowed are 1 to 1000")
    if not 0 <= percent <= 100:
        raise ValueError(f"percent {percent}: allowed are 0 to 100")
    return amount * (1 + percent / 100) / people
