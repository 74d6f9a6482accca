"""Long and short words."""


def longest_word(text: str, which: str) -> str:
    """Finds the longest or the shortest word of a text.

    Args:
        text: the text, 1 to 2000 characters.
        which: longest or shortest.

    Returns:
        The first such word.
    """
    if not 1 <= len(text) <= 2000:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 2000")
    words = [word.strip(".,;:!?\"'()") for word in text.split()]
    if which == "longest":
        return max(words, key=len, default="")
    if which == "shortest":
        return min(words, key=len, default="")
    raise ValueError(f"which {which!r}: allowed are longest and shortest")
