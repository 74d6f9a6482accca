"""Tips."""


def tip_on(bill: float, percent: float) -> dict[str, float]:
    """Works out a tip.

    Args:
        bill: the bill, 0 to 1e9.
        percent: how many percent the tip is, 0 to 1000.

    Returns:
        tip, and total with the tip.
    """
    if not 0 <= bill <= 1e9:
        raise ValueError(f"bill {bill}: allowed are 0 to 1e9")
    if not 0 <= percent <= 1000:
        raise ValueError(f"percent {percent}: allowed are 0 to 1000")
    tip = round(bill * percent / 100, 2)
    return {"tip": tip, "total": round(bill + tip, 2)}
