"""Times of day."""
from datetime import datetime


def time_between(first: str, second: str) -> int:
    """Says how long it is from one time of day to the next one of another.

    Args:
        first: the time to begin at, hours and minutes with a colon.
        second: the time to end at.

    Returns:
        The time between in seconds.
    """
    try:
        begin, end = datetime.strptime(first, "%H:%M"), datetime.strptime(second, "%H:%M")
    except ValueError as error:
        raise ValueError(f"{first!r} or {second!r} is no time: {error}") from error
    return (end - begin).seconds
