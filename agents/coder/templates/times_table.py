"""Times tables."""


def times_table(number: int, count: int = 10) -> list[int]:
    """Lists the multiples of a number.

    Args:
        number: the number, 1 to 1000.
        count: how many multiples, 1 to 20.

    Returns:
        The multiples in order.
    """
    if not 1 <= number <= 1000:
        raise ValueError(f"number {number}: allowed are 1 to 1000")
    if not 1 <= count <= 20:
        raise ValueError(f"count {count}: allowed are 1 to 20")
    return [number * n for n in range(1, count + 1)]
