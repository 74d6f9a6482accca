"""Roman numerals."""

_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def from_roman(numeral: str) -> int:
    """Reads a Roman numeral.

    Args:
        numeral: the numeral, such as XIV; of letters I V X L C D M, 1 to 20 characters.

    Returns:
        The number.
    """
    if not 1 <= len(numeral) <= 20:
        raise ValueError(f"{len(numeral)} characters: allowed are 1 to 20")
    values = [_VALUES.get(sign, 0) for sign in numeral.upper()]
    if 0 in values:
        raise ValueError(f"numeral {numeral!r}: allowed are the letters {', '.join(_VALUES)}")
    total = 0
    for value, following in zip(values, values[1:] + [0]):
        total += -value if value < following else value
    return total
