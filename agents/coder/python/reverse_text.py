"""Texts backwards."""


def reverse_text(text: str) -> str:
    """Writes a text backwards, letter by letter.

    Args:
        text: the text, at most 2000 characters.

    Returns:
        The text backwards.
    """
    if len(text) > 2000:
        raise ValueError(f"{len(text)} characters: allowed are 2000")
    return text[::-1]
