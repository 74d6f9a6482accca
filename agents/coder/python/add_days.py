"""Dates that are some days away."""
from datetime import date, timedelta


def add_days(day: str, days: int) -> str:
    """Says which date is a number of days after another.

    Args:
        day: the date to begin with, such as 2026-12-24.
        days: how many days later, -100000 to 100000.

    Returns:
        The date, such as 2026-12-31.
    """
    if abs(days) > 100000:
        raise ValueError(f"days {days}: allowed are -100000 to 100000")
    try:
        return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{days} days after {day!r} is no date: {error}") from error
