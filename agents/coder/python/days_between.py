"""Days from one date to another."""
from datetime import date


def days_between(first: str, second: str) -> int:
    """Counts the days from one date to another.

    Args:
        first: the date to count from, such as 2026-12-24.
        second: the date to count to.

    Returns:
        How many days there are; negative when the second date comes first.
    """
    try:
        return (date.fromisoformat(second) - date.fromisoformat(first)).days
    except ValueError as error:
        raise ValueError(f"{first!r} or {second!r} is no date: {error}") from error
