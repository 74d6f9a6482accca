"""Weeks."""
from datetime import date


def week_number(day: str) -> int:
    """Says in which week of the year a day is, as ISO 8601 counts weeks.

    Args:
        day: the day, such as 2026-11-21.

    Returns:
        The number of the week.
    """
    try:
        return date.fromisoformat(day).isocalendar().week
    except ValueError as error:
        raise ValueError(f"{day!r} is no date: {error}") from error
