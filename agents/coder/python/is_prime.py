"""Primes."""


def is_prime(number: int) -> bool:
    """Says whether a whole number is prime.

    Args:
        number: 0 to 1000000000.

    Returns:
        Whether it is prime.
    """
    if not 0 <= number <= 1_000_000_000:
        raise ValueError(f"number {number}: allowed are 0 to 1000000000")
    if number < 2:
        return False
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True
