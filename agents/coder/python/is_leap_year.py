"""Leap years."""


def is_leap_year(year: int) -> bool:
    """Says whether a year has a 29 February.

    Args:
        year: the year, 1 to 9999.

    Returns:
        Whether it is a leap year.
    """
    if not 1 <= year <= 9999:
        raise ValueError(f"year {year}: allowed are 1 to 9999")
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
