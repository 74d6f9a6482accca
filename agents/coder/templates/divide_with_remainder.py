"""Division."""


def divide_with_remainder(number: int, divisor: int) -> dict[str, int]:
    """Divides whole numbers with a remainder.

    Args:
        number: what is divided, 0 to 1000000000000.
        divisor: by what, 1 to 1000000000.

    Returns:
        quotient and remainder.
    """
    if not 0 <= number <= 1000000000000:
        raise ValueError(f"number {number}: allowed are 0 to 1000000000000")
    if not 1 <= divisor <= 1000000000:
        raise ValueError(f"divisor {divisor}: allowed are 1 to 1000000000")
    return {"quotient": number // divisor, "remainder": number % divisor}
