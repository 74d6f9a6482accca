"""Change."""


def change_from(paid: float, price: float) -> float:
    """Works out what is given back of a payment.

    Args:
        paid: what is paid, 0 to 1e9.
        price: what it costs, 0 to 1e9.

    Returns:
        The change; negative when it is not enough.
    """
    if not 0 <= paid <= 1e9:
        raise ValueError(f"paid {paid}: allowed are 0 to 1e9")
    if not 0 <= price <= 1e9:
        raise ValueError(f"price {price}: allowed are 0 to 1e9")
    return round(paid - price, 2)
