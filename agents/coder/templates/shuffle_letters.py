"""Shuffled letters."""
import random


def shuffle_letters(word: str, seed: int) -> str:
    """Puts the letters of a word in another order.

    Args:
        word: the word, 2 to 60 characters.
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.

    Returns:
        The letters in an order of chance, another than the word's where there is one.
    """
    if not 2 <= len(word) <= 60:
        raise ValueError(f"{len(word)} characters: allowed are 2 to 60")
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    chance = random.Random(seed)
    letters = list(word.lower())
    for _ in range(20):
        chance.shuffle(letters)
        if "".join(letters) != word.lower():
            break
    return "".join(letters)
