"""Dates."""
from datetime import date


def date_of_day(day: str) -> str:
    """Says on which day of the week and which date a day falls.

    Args:
        day: the day, such as 2026-11-21.

    Returns:
        The date, when there is such a day.
    """
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError as error:
        raise ValueError(f"{day!r} is no date: {error}") from error
