"""Units."""

# What a unit is in the base unit of its quantity.
_UNITS = {
    "length": {
        "millimetre": 0.001, "centimetre": 0.01, "metre": 1.0, "kilometre": 1000.0, "inch": 0.0254, "foot": 0.3048, "yard": 0.9144, "mile": 1609.344,
        "nautical_mile": 1852.0,
    },
    "mass": {"milligram": 1e-6, "gram": 0.001, "kilogram": 1.0, "tonne": 1000.0, "ounce": 0.028349523125, "pound": 0.45359237, "stone": 6.35029318},
    "volume": {
        "millilitre": 0.001, "centilitre": 0.01, "litre": 1.0, "cubic_metre": 1000.0, "teaspoon": 0.00492892159375, "tablespoon": 0.01478676478125,
        "cup": 0.2365882365, "pint": 0.473176473, "quart": 0.946352946, "gallon": 3.785411784,
    },
    "time": {"millisecond": 0.001, "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0, "year": 31557600.0},
    "speed": {"metre_per_second": 1.0, "kilometre_per_hour": 1 / 3.6, "mile_per_hour": 0.44704, "knot": 1852 / 3600},
    "data": {"bit": 0.125, "byte": 1.0, "kilobyte": 1e3, "megabyte": 1e6, "gigabyte": 1e9, "terabyte": 1e12},
    "area": {"square_metre": 1.0, "square_kilometre": 1e6, "hectare": 1e4, "acre": 4046.8564224, "square_foot": 0.09290304},
    "angle": {"degree": 1.0, "radian": 57.29577951308232, "turn": 360.0},
    "temperature": {"kelvin": 1.0, "celsius": 1.0, "fahrenheit": 5 / 9},
}
_ZERO = {"celsius": 273.15, "fahrenheit": 459.67 * 5 / 9}  # what is to be added after multiplying


def _quantity(unit: str) -> str:
    for name, units in _UNITS.items():
        if unit in units:
            return name
    raise ValueError(f"unit {unit!r}: allowed are {', '.join(u for units in _UNITS.values() for u in units)}")


def convert_unit(value: float, from_unit: str, to_unit: str) -> float:
    """Converts lengths, masses, volumes, times, speeds, temperatures, areas, angles and amounts of data between units.

    Args:
        value: how many of the first unit.
        from_unit: the unit to convert from, in the singular, such as mile or celsius.
        to_unit: the unit to convert to, of the same quantity.

    Returns:
        How many of the second unit that is.
    """
    if abs(value) > 1e15:
        raise ValueError("allowed are values up to 1e15")
    quantity = _quantity(from_unit)
    if to_unit not in _UNITS[quantity]:
        raise ValueError(f"{from_unit} is a {quantity}, {to_unit} is none")
    base = value * _UNITS[quantity][from_unit] + _ZERO.get(from_unit, 0.0)
    if quantity == "temperature" and base < -1e-9:
        raise ValueError(f"{value} {from_unit}: nothing is colder than 0 kelvin")
    return (base - _ZERO.get(to_unit, 0.0)) / _UNITS[quantity][to_unit]
