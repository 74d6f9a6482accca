"""Time zones."""
from datetime import datetime, timedelta


def time_in_city(city: str, offset: int, now: str) -> dict[str, str]:
    """Says what time it is in a place.

    Args:
        city: the place, 1 to 60 characters.
        offset: how many minutes its clocks are ahead of universal time, -900 to 900.
        now: universal time as ISO 8601 writes it.

    Returns:
        The time there, and whether it is another day: yesterday, today or tomorrow as seen from universal time.
    """
    if not 1 <= len(city) <= 60:
        raise ValueError(f"{len(city)} characters: allowed are 1 to 60")
    if not -900 <= offset <= 900:
        raise ValueError(f"offset {offset}: allowed are -900 to 900")
    try:
        here = datetime.fromisoformat(now)
    except ValueError as error:
        raise ValueError(f"now {now!r}: {error}") from error
    there = here + timedelta(minutes=offset)
    return {"city": city, "time": there.strftime("%H:%M"), "weekday": there.strftime("%A")}
