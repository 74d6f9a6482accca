"""Percentages."""


def percent_of(percent: float, total: float) -> float:
    """Says how much a number of percent of a total is.

    Args:
        percent: how many percent, any number.
        total: what they are of.

    Returns:
        That part of the total.
    """
    if abs(percent) > 1e12 or abs(total) > 1e12:
        raise ValueError("allowed are numbers up to 1e12")
    return percent * total / 100
