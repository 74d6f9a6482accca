"""Caesar's cipher."""


def caesar_cipher(text: str, shift: int = 13) -> str:
    """Moves every letter along the alphabet.

    Args:
        text: the text, 1 to 2000 characters.
        shift: by how many letters, -1000 to 1000.

    Returns:
        The text in cipher; what is no letter from a to z stays.
    """
    if not 1 <= len(text) <= 2000:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 2000")
    if not -1000 <= shift <= 1000:
        raise ValueError(f"shift {shift}: allowed are -1000 to 1000")
    moved = []
    for c in text:
        if c.isascii() and c.isalpha():
            first = ord("A" if c.isupper() else "a")
            c = chr(first + (ord(c) - first + shift) % 26)
        moved.append(c)
    return "".join(moved)
