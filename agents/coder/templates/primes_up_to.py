"""Primes."""


def primes_up_to(limit: int) -> list[int]:
    """Lists the primes up to a number.

    Args:
        limit: the largest number, 2 to 1000.

    Returns:
        The primes in order.
    """
    if not 2 <= limit <= 1000:
        raise ValueError(f"limit {limit}: allowed are 2 to 1000")
    primes = []
    for number in range(2, limit + 1):
        if all(number % prime for prime in primes):
            primes.append(number)
    return primes
