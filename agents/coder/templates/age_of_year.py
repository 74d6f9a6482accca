"""Ages."""


def age_of_year(born: int, year: int) -> int:
    """Works out how old somebody becomes in a year.

    Args:
        born: the year of birth, 1 to 9999.
        year: the year in which the age is asked for, 1 to 9999.

    Returns:
        The age that is reached in that year.
    """
    if not 1 <= born <= 9999:
        raise ValueError(f"born {born}: allowed are 1 to 9999")
    if not 1 <= year <= 9999:
        raise ValueError(f"year {year}: allowed are 1 to 9999")
    if born > year:
        raise ValueError(f"born {born}: allowed are years up to {year}")
    return year - born
