"""Dates."""
import calendar
from datetime import date


def add_months(day: str, months: int) -> str:
    """Says which date is a number of months or years after another.

    Args:
        day: the date, such as 2026-11-21.
        months: how many months later; negative for earlier, -12000 to 12000.

    Returns:
        The date; the last day of the month when that has no such day.
    """
    if not -12000 <= months <= 12000:
        raise ValueError(f"months {months}: allowed are -12000 to 12000")
    try:
        start = date.fromisoformat(day)
        months += start.year * 12 + start.month - 1
        year, month = months // 12, months % 12 + 1
        return date(year, month, min(start.day, calendar.monthrange(year, month)[1])).isoformat()
    except ValueError as error:
        raise ValueError(f"{day!r} or what comes of it is no date: {error}") from error
