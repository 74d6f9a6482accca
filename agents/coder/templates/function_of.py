"""Functions."""
import math


def function_of(function: str, value: float) -> float:
    """Works out the sine, cosine or tangent of an angle, or the logarithm of a number.

    Args:
        function: sine, cosine, tangent, logarithm or natural logarithm.
        value: an angle in degrees, or the number, -1e12 to 1e12.

    Returns:
        The value of the function.
    """
    if not -1e12 <= value <= 1e12:
        raise ValueError(f"value {value}: allowed are -1e12 to 1e12")
    if function in ("sine", "cosine", "tangent"):
        angle = math.radians(value)
        if function == "tangent" and abs(math.cos(angle)) < 1e-12:
            raise ValueError(f"value {value}: a right angle has no tangent")
        return {"sine": math.sin, "cosine": math.cos, "tangent": math.tan}[function](angle)
    if function not in ("logarithm", "natural logarithm"):
        raise ValueError(f"function {function!r}: allowed are sine, cosine, tangent, logarithm and natural logarithm")
    if value <= 0:
        raise ValueError(f"value {value}: allowed are numbers above 0")
    return math.log10(value) if function == "logarithm" else math.log(value)
