"""Arithmetic, read by hand: nothing of an expression is ever run."""
import math
import re

_TOKEN = re.compile(r"\s*(\d+\.?\d*|\.\d+|sqrt|cbrt|[-+*/^%()])")
_MOST = 200
_DEEPEST = 40


class _Reader:
    """Reads the parts of an expression one after the other."""

    def __init__(self, text: str):
        self.parts = []
        self.at = 0
        self.depth = 0
        text = text.strip()
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise ValueError(f"{text[position:position + 10]!r} is not understood")
            self.parts.append(match.group(1))
            position = match.end()

    def peek(self) -> str:
        return self.parts[self.at] if self.at < len(self.parts) else "end"

    def take(self) -> str:
        part = self.peek()
        self.at += 1
        return part

    def total(self) -> float:
        value = self.product()
        while self.peek() in ("+", "-"):
            if self.take() == "+":
                value += self.product()
            else:
                value -= self.product()
        return value

    def product(self) -> float:
        value = self.signed()
        while self.peek() in ("*", "/", "%"):
            sign = self.take()
            other = self.signed()
            if sign == "*":
                value *= other
            elif other == 0:
                raise ValueError("division by zero")
            elif sign == "/":
                value /= other
            else:
                value -= other * math.floor(value / other)
        return value

    def signed(self) -> float:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError("nested too deeply")
        if self.peek() in ("+", "-"):
            value = self.signed() if self.take() == "+" else -self.signed()
        else:
            value = self.power()
        self.depth -= 1
        return value

    def power(self) -> float:
        value = self.atom()
        if self.peek() != "^":
            return value
        self.take()
        try:
            value = math.pow(value, self.signed())
        except (OverflowError, ZeroDivisionError) as error:
            raise ValueError(f"the power is no number: {error}") from error
        return value

    def atom(self) -> float:
        part = self.take()
        if part == "sqrt":
            value = self.atom()
            if value < 0:
                raise ValueError("root of a negative number")
            return math.sqrt(value)
        if part == "cbrt":
            value = self.atom()
            return math.copysign(abs(value) ** (1 / 3), value)
        if part == "(":
            value = self.total()
            if self.take() != ")":
                raise ValueError("a ) is missing")
            return value
        if not part[0].isdigit() and part[0] != ".":
            raise ValueError(f"a number is missing before {part!r}")
        return float(part)


def calculate(expression: str) -> float:
    """Works out an expression: sums, differences, products, quotients, powers and roots.

    Args:
        expression: of numbers, + - * / % ^ ( ) sqrt and cbrt, at most 200 characters.

    Returns:
        The result.
    """
    if len(expression) > _MOST:
        raise ValueError(f"{len(expression)} characters, allowed are {_MOST}")
    reader = _Reader(expression)
    value = reader.total()
    if reader.at < len(reader.parts):
        raise ValueError(f"{reader.peek()!r} does not belong there")
    if not math.isfinite(value):
        raise ValueError("the result is no number")
    return value
