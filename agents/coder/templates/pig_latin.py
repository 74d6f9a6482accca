"""Pig Latin."""


def pig_latin(text: str) -> str:
    """Writes a text in Pig Latin.

    Args:
        text: the text, 1 to 2000 characters.

    Returns:
        The text in Pig Latin, in small letters.
    """
    if not 1 <= len(text) <= 2000:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 2000")
    def changed(word: str) -> str:
        if word[0] in "aeiou":
            return word + "way"
        start = 1
        while start < len(word) and word[start] not in "aeiouy":
            start += 1
        if word[start - 1] == "q" and word[start : start + 1] == "u":
            start += 1
        return word[start:] + word[:start] + "ay"

    return " ".join(changed(word) for word in text.lower().split())
