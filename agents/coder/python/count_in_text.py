"""Counts what a text has."""


def count_in_text(text: str, what: str) -> int:
    """Counts the letters, vowels, consonants, digits, characters or words of a text.

    Args:
        text: the text, at most 2000 characters.
        what: letters, vowels, consonants, digits, characters or words.

    Returns:
        How many there are.
    """
    if len(text) > 2000:
        raise ValueError(f"{len(text)} characters: allowed are 2000")
    letters = [c for c in text.lower() if c.isalpha()]
    vowels = sum(c in "aeiou" for c in letters)
    counts = {
        "letters": len(letters), "vowels": vowels, "consonants": len(letters) - vowels, "digits": sum(c.isdigit() for c in text),
        "characters": len(text), "words": len(text.split()),
    }
    if what not in counts:
        raise ValueError(f"what {what!r}: allowed are {', '.join(counts)}")
    return counts[what]
