"""Times of day."""
from datetime import datetime, timedelta


def add_to_time(start: str, seconds: float) -> str:
    """Adds a length of time to a time of day.

    Args:
        start: the time of day, such as 14.30 written with a colon.
        seconds: how many seconds later; negative for earlier, -8640000 to 8640000.

    Returns:
        The time of day then, such as 16:00.
    """
    if not -8640000 <= seconds <= 8640000:
        raise ValueError(f"seconds {seconds}: allowed are -8640000 to 8640000")
    try:
        moment = datetime.strptime(start, "%H:%M")
    except ValueError as error:
        raise ValueError(f"start {start!r}: {error}") from error
    return (moment + timedelta(seconds=seconds)).strftime("%H:%M")
