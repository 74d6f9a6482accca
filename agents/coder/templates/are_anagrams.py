"""Anagrams."""


def are_anagrams(first: str, second: str) -> bool:
    """Says whether two texts have the same letters.

    Args:
        first: one text, 1 to 200 characters.
        second: the other, 1 to 200 characters.

    Returns:
        Whether they are anagrams of each other.
    """
    if not 1 <= len(first) <= 200:
        raise ValueError(f"{len(first)} characters: allowed are 1 to 200")
    if not 1 <= len(second) <= 200:
        raise ValueError(f"{len(second)} characters: allowed are 1 to 200")
    letters = [sorted(c for c in text.lower() if c.isalpha()) for text in (first, second)]
    return letters[0] == letters[1]
