"""The alphabet."""


def letter_position(letter: str) -> int:
    """Says at which place of the alphabet a letter is.

    Args:
        letter: one letter from a to z.

    Returns:
        Its place; a is 1.
    """
    place = "abcdefghijklmnopqrstuvwxyz".find(letter.lower()) + 1
    if len(letter) != 1 or place == 0:
        raise ValueError(f"letter {letter!r}: allowed is one letter from a to z")
    return place
