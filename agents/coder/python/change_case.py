"""Upper and lower case."""


def change_case(text: str, case: str) -> str:
    """Writes a text in upper case, in lower case or as a title.

    Args:
        text: the text, at most 2000 characters.
        case: upper, lower or title.

    Returns:
        The text in that case.
    """
    if len(text) > 2000:
        raise ValueError(f"{len(text)} characters: allowed are 2000")
    if case == "upper":
        return text.upper()
    if case == "lower":
        return text.lower()
    if case == "title":
        return " ".join(word[:1].upper() + word[1:].lower() for word in text.split(" "))
    raise ValueError(f"case {case!r}: allowed are upper, lower and title")
