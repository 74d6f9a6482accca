"""The alphabet."""


def letter_at(place: int) -> str:
    """Says which letter is at a place of the alphabet.

    Args:
        place: the place; a is 1, 1 to 26.

    Returns:
        The letter.
    """
    if not 1 <= place <= 26:
        raise ValueError(f"place {place}: allowed are 1 to 26")
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place - 1]
