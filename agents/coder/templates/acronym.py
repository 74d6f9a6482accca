"""Acronyms."""


def acronym(text: str) -> str:
    """Makes a word of the first letters of words.

    Args:
        text: the text, 1 to 2000 characters.

    Returns:
        The letters in capitals.
    """
    if not 1 <= len(text) <= 2000:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 2000")
    return "".join(word[0].upper() for word in text.replace("-", " ").split())
