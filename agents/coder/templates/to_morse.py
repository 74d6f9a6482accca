"""Morse code."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
)


def to_morse(text: str) -> str:
    """Writes a text in Morse code.

    Args:
        text: the text, 1 to 2000 characters.

    Returns:
        Dots and dashes, a blank between letters and a slash between words; other signs are left out.
    """
    if not 1 <= len(text) <= 2000:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 2000")
    signs = dict(zip(_LETTERS, _SIGNS.split()))
    return " / ".join(" ".join(signs[c] for c in word if c in signs) for word in text.upper().split())
