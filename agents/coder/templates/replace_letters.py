"""Replacing."""


def replace_letters(text: str, old: str, new: str) -> str:
    """Writes something else in a text wherever a piece of it stands.

    Args:
        text: the text, 1 to 2000 characters.
        old: the piece, 1 to 100 characters.
        new: what is written there, 0 to 100 characters.

    Returns:
        The new text.
    """
    if not 1 <= len(text) <= 2000:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 2000")
    if not 1 <= len(old) <= 100:
        raise ValueError(f"{len(old)} characters: allowed are 1 to 100")
    if not 0 <= len(new) <= 100:
        raise ValueError(f"{len(new)} characters: allowed are 0 to 100")
    return text.replace(old, new)
