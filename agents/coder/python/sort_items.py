"""Puts things in order."""


def _is_number(item: str) -> bool:
    return item.removeprefix("-").replace(".", "", 1).isdecimal() and item.isascii()


def sort_items(items: list[str], descending: bool = False) -> list[str]:
    """Sorts words by the alphabet, or numbers by their size.

    Args:
        items: 1 to 500 words or numbers.
        descending: the last or largest first.

    Returns:
        The same in order.
    """
    if not 1 <= len(items) <= 500:
        raise ValueError(f"{len(items)} items: allowed are 1 to 500")
    if all(_is_number(item) for item in items):
        return sorted(items, key=float, reverse=descending)
    return sorted(items, key=str.lower, reverse=descending)
