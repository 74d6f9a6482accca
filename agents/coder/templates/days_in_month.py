"""Months."""
import calendar


def days_in_month(month: int, year: int) -> int:
    """Says how many days a month has.

    Args:
        month: the month, 1 to 12.
        year: the year, 1 to 9999.

    Returns:
        How many days it has.
    """
    if not 1 <= month <= 12:
        raise ValueError(f"month {month}: allowed are 1 to 12")
    if not 1 <= year <= 9999:
        raise ValueError(f"year {year}: allowed are 1 to 9999")
    return calendar.monthrange(year, month)[1]
