"""Prime factors."""


def prime_factors(number: int) -> list[int]:
    """Takes a whole number apart into primes.

    Args:
        number: the number, 2 to 1000000000.

    Returns:
        Its prime factors in order, each as often as it divides the number.
    """
    if not 2 <= number <= 1000000000:
        raise ValueError(f"number {number}: allowed are 2 to 1000000000")
    factors = []
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors + ([number] if number > 1 else [])
