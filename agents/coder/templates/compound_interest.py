"""Interest."""


def compound_interest(amount: float, percent: float, years: float) -> float:
    """Works out what an amount becomes with interest that earns interest.

    Args:
        amount: the amount, 0 to 1e12.
        percent: interest a year in percent, 0 to 1000.
        years: how many years, 0 to 200.

    Returns:
        What it becomes, paid once a year.
    """
    if not 0 <= amount <= 1e12:
        raise ValueError(f"amount {amount}: allowed are 0 to 1e12")
    if not 0 <= percent <= 1000:
        raise ValueError(f"percent {percent}: allowed are 0 to 1000")
    if not 0 <= years <= 200:
        raise ValueError(f"years {years}: allowed are 0 to 200")
    return amount * (1 + percent / 100) ** years
