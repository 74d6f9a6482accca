"""Spread of numbers."""
import statistics


def spread_of(numbers: list[float], measure: str) -> float:
    """Works out the mode, the standard deviation or the variance of numbers.

    Args:
        numbers: the numbers, 2 to 1000 of them.
        measure: mode, standard deviation, variance, sample deviation or sample variance.

    Returns:
        The measure; of several modes the first.
    """
    if not 2 <= len(numbers) <= 1000:
        raise ValueError(f"{len(numbers)} numbers: allowed are 2 to 1000")
    measures = {
        "mode": statistics.mode, "standard deviation": statistics.pstdev, "variance": statistics.pvariance,
        "sample deviation": statistics.stdev, "sample variance": statistics.variance,
    }
    if measure not in measures:
        raise ValueError(f"measure {measure!r}: allowed are {', '.join(measures)}")
    return float(measures[measure](numbers))
