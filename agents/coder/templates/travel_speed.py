"""Journeys."""


def travel_speed(distance: float, seconds: float) -> float:
    """Works out the average speed of a journey.

    Args:
        distance: how far, in kilometres or miles, 0 to 1e9.
        seconds: how long, in seconds, 0.001 to 1e9.

    Returns:
        The speed in kilometres or miles an hour.
    """
    if not 0 <= distance <= 1e9:
        raise ValueError(f"distance {distance}: allowed are 0 to 1e9")
    if not 0.001 <= seconds <= 1e9:
        raise ValueError(f"seconds {seconds}: allowed are 0.001 to 1e9")
    return distance / seconds * 3600
