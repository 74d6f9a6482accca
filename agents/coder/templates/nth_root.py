"""Roots."""


def nth_root(number: float, degree: int) -> float:
    """Takes a root of a number.

    Args:
        number: the number, 0 to 1e15.
        degree: which root; 2 is the square root, 1 to 100.

    Returns:
        The root.
    """
    if not 0 <= number <= 1e15:
        raise ValueError(f"number {number}: allowed are 0 to 1e15")
    if not 1 <= degree <= 100:
        raise ValueError(f"degree {degree}: allowed are 1 to 100")
    root = number ** (1 / degree)
    whole = round(root)
    return float(whole) if whole**degree == number else root
