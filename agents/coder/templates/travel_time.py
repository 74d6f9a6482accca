"""Journeys."""


def travel_time(distance: float, speed: float) -> float:
    """Works out how long a journey takes.

    Args:
        distance: how far, in kilometres or in miles, 0 to 1e9.
        speed: how fast, in the same unit an hour, 0.001 to 1e9.

    Returns:
        The time in seconds.
    """
    if not 0 <= distance <= 1e9:
        raise ValueError(f"distance {distance}: allowed are 0 to 1e9")
    if not 0.001 <= speed <= 1e9:
        raise ValueError(f"speed {speed}: allowed are 0.001 to 1e9")
    return distance / speed * 3600
