"""Letters of a word."""


def letter_of_word(word: str, place: int) -> str:
    """Says which letter is at a place of a word.

    Args:
        word: the word, 1 to 100 characters.
        place: the place from the beginning; the first is 1, and -1 is the last, -1 to 100.

    Returns:
        The letter in capitals.
    """
    if not 1 <= len(word) <= 100:
        raise ValueError(f"{len(word)} characters: allowed are 1 to 100")
    if not -1 <= place <= 100:
        raise ValueError(f"place {place}: allowed are -1 to 100")
    if place == 0 or place > len(word):
        raise ValueError(f"place {place}: {word!r} has {len(word)} letters")
    return word[place - 1 if place > 0 else place].upper()
