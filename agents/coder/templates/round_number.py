"""Rounding."""
from decimal import ROUND_HALF_UP, Decimal


def round_number(number: float, places: int = 0, nearest: float = 0.0) -> float:
    """Rounds a number, halves away from zero.

    Args:
        number: the number, -1e12 to 1e12.
        places: how many decimals are left, 0 to 10.
        nearest: to the nearest multiple of this; 0 for none, 0 to 1e9.

    Returns:
        The rounded number.
    """
    if not -1e12 <= number <= 1e12:
        raise ValueError(f"number {number}: allowed are -1e12 to 1e12")
    if not 0 <= places <= 10:
        raise ValueError(f"places {places}: allowed are 0 to 10")
    if not 0 <= nearest <= 1e9:
        raise ValueError(f"nearest {nearest}: allowed are 0 to 1e9")
    step = Decimal(str(nearest)) if nearest > 0 else Decimal(1).scaleb(-places)
    return float((Decimal(str(number)) / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step)
