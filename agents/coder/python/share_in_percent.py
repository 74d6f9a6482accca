"""Shares."""


def share_in_percent(part: float, total: float) -> float:
    """Says how many percent of a total a part is.

    Args:
        part: the part.
        total: the whole, not 0.

    Returns:
        The share in percent.
    """
    if total == 0:
        raise ValueError("total 0: nothing has a share in nothing")
    if abs(part) > 1e12 or abs(total) > 1e12:
        raise ValueError("allowed are numbers up to 1e12")
    return part / total * 100
