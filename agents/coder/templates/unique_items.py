"""Doubles."""


def unique_items(items: list[str]) -> list[str]:
    """Leaves out of a list what was there before.

    Args:
        items: the list, 1 to 500 of them.

    Returns:
        Each once, in order.
    """
    if not 1 <= len(items) <= 500:
        raise ValueError(f"{len(items)} items: allowed are 1 to 500")
    return list(dict.fromkeys(items))
