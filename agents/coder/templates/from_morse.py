"""Morse code."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
)


def from_morse(code: str) -> str:
    """Reads Morse code.

    Args:
        code: dots and dashes, a blank between letters and a slash between words, 1 to 2000 characters.

    Returns:
        The text in capitals.
    """
    if not 1 <= len(code) <= 2000:
        raise ValueError(f"{len(code)} characters: allowed are 1 to 2000")
    letters = dict(zip(_SIGNS.split(), _LETTERS))
    signs = code.replace("/", " / ").replace("–", "-").split()
    for sign in signs:
        if sign != "/" and sign not in letters:
            raise ValueError(f"sign {sign!r}: no letter or digit is written so")
    return "".join(" " if sign == "/" else letters[sign] for sign in signs)
