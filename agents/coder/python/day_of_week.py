"""Days of the week."""
from datetime import date

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def day_of_week(day: str) -> str:
    """Says which day of the week a date is.

    Args:
        day: the date, such as 2026-12-24.

    Returns:
        The day's name.
    """
    try:
        return _DAYS[date.fromisoformat(day).weekday()]
    except ValueError as error:
        raise ValueError(f"{day!r} is no date: {error}") from error
