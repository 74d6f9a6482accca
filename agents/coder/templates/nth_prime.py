"""Primes."""


def nth_prime(place: int) -> int:
    """Finds the prime at a place: the first is 2.

    Args:
        place: the place, 1 to 2000.

    Returns:
        The prime.
    """
    if not 1 <= place <= 2000:
        raise ValueError(f"place {place}: allowed are 1 to 2000")
    primes = []
    number = 1
    while len(primes) < place:
        number += 1
        if all(number % prime for prime in primes if prime * prime <= number):
            primes.append(number)
    return number
