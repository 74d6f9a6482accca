"""Ages."""
from datetime import date


def age_on(born: str, day: str) -> int:
    """Works out the age of somebody on a day.

    Args:
        born: the day of birth, such as 1990-05-03.
        day: the day on which the age is asked for.

    Returns:
        The age in full years.
    """
    try:
        birth, then = date.fromisoformat(born), date.fromisoformat(day)
    except ValueError as error:
        raise ValueError(f"{born!r} or {day!r} is no date: {error}") from error
    if then < birth:
        raise ValueError(f"{born} is after {day}")
    return then.year - birth.year - ((then.month, then.day) < (birth.month, birth.day))
