"""Fibonacci."""


def fibonacci_sequence(count: int) -> list[int]:
    """Lists the beginning of the Fibonacci sequence.

    Args:
        count: how many numbers, 1 to 40.

    Returns:
        The first numbers of the sequence.
    """
    if not 1 <= count <= 40:
        raise ValueError(f"count {count}: allowed are 1 to 40")
    numbers = [0, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:count]
