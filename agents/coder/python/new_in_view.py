"""What has changed before the camera."""
import reachy


def new_in_view(known: list[str], name: str = "") -> dict[str, list[str]]:
    """Compares what the robot sees with what it saw before.

    Args:
        known: the names of the things that were there before, at most 200.
        name: look only for things of this name; empty for all.

    Returns:
        seen, the names of what is there now; appeared, those that were not there before; gone, those that no longer are.
    """
    if len(known) > 200:
        raise ValueError(f"{len(known)} known things: allowed are 200")
    try:
        answer = reachy.detect_objects()
    except reachy.HostError as error:
        raise RuntimeError(f"I cannot see: {error}") from error
    seen = sorted(str(thing["name"]) for thing in answer["objects"] if name in ("", thing["name"]))
    before, now = list(known), list(seen)
    for thing in seen:
        if thing in before:
            before.remove(thing)
            now.remove(thing)
    return {"seen": seen, "appeared": now, "gone": before}
