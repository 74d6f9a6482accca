"""Counts one letter."""


def count_letter(text: str, letter: str) -> int:
    """Counts how often a letter occurs in a text, in upper and lower case.

    Args:
        text: the text, at most 2000 characters.
        letter: one character.

    Returns:
        How often it occurs.
    """
    if len(letter) != 1:
        raise ValueError(f"letter {letter!r}: allowed is one character")
    if len(text) > 2000:
        raise ValueError(f"{len(text)} characters: allowed are 2000")
    return text.lower().count(letter.lower())
