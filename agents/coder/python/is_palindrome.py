"""Palindromes."""


def is_palindrome(text: str) -> bool:
    """Says whether a text reads the same backwards, looking at its letters and digits only.

    Args:
        text: the text, at most 2000 characters.

    Returns:
        Whether it does.
    """
    if len(text) > 2000:
        raise ValueError(f"{len(text)} characters: allowed are 2000")
    letters = [c.lower() for c in text if c.isalnum()]
    return letters == letters[::-1]
