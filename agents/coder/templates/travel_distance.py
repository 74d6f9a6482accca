"""Journeys."""


def travel_distance(speed: float, seconds: float) -> float:
    """Works out how far one comes.

    Args:
        speed: how fast, in kilometres or miles an hour, 0 to 1e9.
        seconds: how long, in seconds, 0 to 1e9.

    Returns:
        The distance in kilometres or miles.
    """
    if not 0 <= speed <= 1e9:
        raise ValueError(f"speed {speed}: allowed are 0 to 1e9")
    if not 0 <= seconds <= 1e9:
        raise ValueError(f"seconds {seconds}: allowed are 0 to 1e9")
    return speed * seconds / 3600
