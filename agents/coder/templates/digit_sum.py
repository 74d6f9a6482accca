"""Digits."""


def digit_sum(number: int) -> int:
    """Adds up the digits of a whole number.

    Args:
        number: the number, 0 to 1000000000000000.

    Returns:
        The sum of its digits.
    """
    if not 0 <= number <= 1000000000000000:
        raise ValueError(f"number {number}: allowed are 0 to 1000000000000000")
    return sum(int(digit) for digit in str(number))
