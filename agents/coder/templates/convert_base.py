"""Number systems."""

_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def convert_base(digits: str, target: int, source: int = 10) -> str:
    """Writes a whole number in another number system.

    Args:
        digits: the number as it is written, without a sign, 1 to 60 characters.
        target: the base in which it is to be written, 2 to 36.
        source: the base in which it is written, 2 to 36.

    Returns:
        The number in the other base, in capitals.
    """
    if not 1 <= len(digits) <= 60:
        raise ValueError(f"{len(digits)} characters: allowed are 1 to 60")
    if not 2 <= target <= 36:
        raise ValueError(f"target {target}: allowed are 2 to 36")
    if not 2 <= source <= 36:
        raise ValueError(f"source {source}: allowed are 2 to 36")
    rest = int(digits.replace(" ", ""), source)
    written = ""
    while rest > 0 or not written:
        written = _SIGNS[rest % target] + written
        rest //= target
    return written
