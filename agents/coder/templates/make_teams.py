"""Teams."""
import random


def make_teams(items: list[str], teams: int, seed: int) -> list[list[str]]:
    """Divides people into teams by chance.

    Args:
        items: the people, 2 to 100 of them.
        teams: how many teams, 2 to 50.
        seed: from which chance begins; the same seed gives the same, 0 to 4294967295.

    Returns:
        The teams, as equal as can be.
    """
    if not 2 <= len(items) <= 100:
        raise ValueError(f"{len(items)} items: allowed are 2 to 100")
    if not 2 <= teams <= 50:
        raise ValueError(f"teams {teams}: allowed are 2 to 50")
    if not 0 <= seed <= 4294967295:
        raise ValueError(f"seed {seed}: allowed are 0 to 4294967295")
    if teams > len(items):
        raise ValueError(f"teams {teams}: there are only {len(items)} people")
    mixed = random.Random(seed).sample(items, len(items))
    return [mixed[team::teams] for team in range(teams)]
