"""Reminders."""
import reachy


def remind_of(text: str) -> dict[str, bool]:
    """Says a reminder aloud.

    Args:
        text: what to say, 1 to 300 characters.

    Returns:
        Whether it was said aloud; without a loudspeaker it is not.
    """
    if not 1 <= len(text) <= 300:
        raise ValueError(f"{len(text)} characters: allowed are 1 to 300")
    try:
        reachy.speak(text=text)
    except reachy.HostError:
        return {"said": False}
    return {"said": True}
