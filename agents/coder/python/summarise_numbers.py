"""What a list of numbers comes to."""
import math
import statistics


def summarise_numbers(numbers: list[float], measure: str) -> float:
    """Works out the average, median, sum, product, largest, smallest or range of numbers.

    Args:
        numbers: 1 to 1000 numbers.
        measure: average, median, sum, product, largest, smallest or range.

    Returns:
        The result.
    """
    if not 1 <= len(numbers) <= 1000:
        raise ValueError(f"{len(numbers)} numbers: allowed are 1 to 1000")
    measures = {
        "average": statistics.fmean, "median": statistics.median, "sum": math.fsum, "product": math.prod, "largest": max, "smallest": min,
    }
    if measure == "range":
        return max(numbers) - min(numbers)
    if measure not in measures:
        raise ValueError(f"measure {measure!r}: allowed are range, {', '.join(measures)}")
    return measures[measure](numbers)
