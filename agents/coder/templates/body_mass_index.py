"""Body mass index."""


def body_mass_index(kilograms: float, metres: float) -> float:
    """Works out the body mass index.

    Args:
        kilograms: the mass, 1 to 700.
        metres: the height, 0.3 to 3.

    Returns:
        The index in kilograms per square metre.
    """
    if not 1 <= kilograms <= 700:
        raise ValueError(f"kilograms {kilograms}: allowed are 1 to 700")
    if not 0.3 <= metres <= 3:
        raise ValueError(f"metres {metres}: allowed are 0.3 to 3")
    return kilograms / metres**2
