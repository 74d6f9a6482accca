"""Percent more and less."""


def add_percent(amount: float, percent: float, direction: str) -> float:
    """Makes an amount larger or smaller by a number of percent.

    Args:
        amount: the amount, -1e12 to 1e12.
        percent: how many percent, 0 to 100000.
        direction: up or down.

    Returns:
        The new amount.
    """
    if not -1e12 <= amount <= 1e12:
        raise ValueError(f"amount {amount}: allowed are -1e12 to 1e12")
    if not 0 <= percent <= 100000:
        raise ValueError(f"percent {percent}: allowed are 0 to 100000")
    if direction not in ("up", "down"):
        raise ValueError(f"direction {direction!r}: allowed are up and down")
    return amount * (1 + percent / 100 if direction == "up" else 1 - percent / 100)
