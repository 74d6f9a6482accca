"""Spelling alphabet."""

_NAMES = (
    "Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa Quebec Romeo Sierra Tango "
    "Uniform Victor Whiskey X-ray Yankee Zulu"
)


def nato_spelling(text: str) -> list[str]:
    """Spells a text in the alphabet of NATO.

    Args:
        text: the text, 1 to 100 characters.

    Returns:
        A word for each letter.
    """
    if not 1 <= len(text) <= 100:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 100")
    words = {name[0]: name for name in _NAMES.split()}
    return [words.get(c, c) for c in text.upper() if not c.isspace()]
