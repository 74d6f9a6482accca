"""Spelling."""


def spell_word(word: str) -> str:
    """Spells a word letter by letter.

    Args:
        word: the word, 1 to 60 characters.

    Returns:
        Its letters in upper case with commas between them.
    """
    if not 1 <= len(word) <= 60:
        raise ValueError(f"{len(word)} characters: allowed are 1 to 60")
    return ", ".join(c.upper() for c in word if not c.isspace())
