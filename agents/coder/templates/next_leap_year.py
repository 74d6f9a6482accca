"""Leap years."""
import calendar


def next_leap_year(year: int) -> int:
    """Finds the first leap year after a year.

    Args:
        year: the year, 1 to 9990.

    Returns:
        The next leap year.
    """
    if not 1 <= year <= 9990:
        raise ValueError(f"year {year}: allowed are 1 to 9990")
    candidate = year + 1
    while not calendar.isleap(candidate):
        candidate += 1
    return candidate
