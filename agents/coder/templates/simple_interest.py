"""Interest."""


def simple_interest(amount: float, percent: float, years: float) -> float:
    """Works out the interest on an amount, without interest on interest.

    Args:
        amount: the amount, 0 to 1e12.
        percent: interest a year in percent, 0 to 1000.
        years: how many years, 0 to 200.

    Returns:
        The interest.
    """
    if not 0 <= amount <= 1e12:
        raise ValueError(f"amount {amount}: allowed are 0 to 1e12")
    if not 0 <= percent <= 1000:
        raise ValueError(f"percent {percent}: allowed are 0 to 1000")
    if not 0 <= years <= 200:
        raise ValueError(f"years {years}: allowed are 0 to 200")
    return amount * percent / 100 * years
