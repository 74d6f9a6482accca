"""Roman numerals."""

_SIGNS = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)


def to_roman(number: int) -> str:
    """Writes a number in Roman numerals.

    Args:
        number: 1 to 3999.

    Returns:
        The numeral.
    """
    if not 1 <= number <= 3999:
        raise ValueError(f"number {number}: allowed are 1 to 3999")
    signs = []
    for value, sign in _SIGNS:
        signs.append(sign * (number // value))
        number %= value
    return "".join(signs)
