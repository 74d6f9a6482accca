"""Numbers in words."""

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SIZES = ((1_000_000_000, " billion"), (1_000_000, " million"), (1000, " thousand"))


def number_in_words(number: int) -> str:
    """Writes a whole number in words.

    Args:
        number: the number, 0 to 999999999999.

    Returns:
        The number in words.
    """
    if not 0 <= number <= 999999999999:
        raise ValueError(f"number {number}: allowed are 0 to 999999999999")
    small = _SMALL.split()
    tens = _TENS.split()

    def below_hundred(n: int) -> str:
        if n < 20:
            return small[n]
        return tens[n // 10 - 2] + ("-" + small[n % 10] if n % 10 else "")

    def below_thousand(n: int) -> str:
        if n < 100:
            return below_hundred(n)
        return small[n // 100] + " hundred" + (" and " + below_hundred(n % 100) if n % 100 else "")

    words = []
    for size, name in _SIZES:
        if number >= size:
            words.append(below_thousand(number // size) + name)
            number %= size
    if number or not words:
        words.append(("and " if words and number < 100 else "") + below_thousand(number))
    return " ".join(words)
