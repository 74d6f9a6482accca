"""Days of the year."""
from datetime import date


def day_of_year(day: str) -> int:
    """Says which day of the year a day is.

    Args:
        day: the day, such as 2026-11-21.

    Returns:
        The number of the day; 1 January is 1.
    """
    try:
        return date.fromisoformat(day).timetuple().tm_yday
    except ValueError as error:
        raise ValueError(f"{day!r} is no date: {error}") from error
