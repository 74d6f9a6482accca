"""Words in reverse order."""


def reverse_words(text: str) -> str:
    """Writes the words of a text in reverse order.

    Args:
        text: the text, 0 to 2000 characters.

    Returns:
        Its words from the last to the first.
    """
    if not 0 <= len(text) <= 2000:
        raise ValueError(f"{len(text)} characters: allowed are 0 to 2000")
    return " ".join(reversed(text.split()))
