"""Leaving letters out."""


def remove_letters(text: str, letters: str) -> str:
    """Leaves letters out of a text.

    Args:
        text: the text, 1 to 2000 characters.
        letters: the letters, or vowels or consonants, 1 to 60 characters.

    Returns:
        The text without them.
    """
    if not 1 <= len(text) <= 2000:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 2000")
    if not 1 <= len(letters) <= 60:
        raise ValueError(f"{len(letters)} characters: allowed are 1 to 60")
    def goes(c: str) -> bool:
        if letters == "vowels":
            return c.lower() in "aeiou"
        if letters == "consonants":
            return c.isalpha() and c.lower() not in "aeiou"
        return c.lower() in letters.lower()

    return "".join(c for c in text if not goes(c))
