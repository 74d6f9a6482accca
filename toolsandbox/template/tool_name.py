"""A tool of the robot. Change what it does; keep one public function of the tool's name."""
import reachy


def tool_name(angle: float = 20.0, times: int = 2) -> dict[str, float]:
    """Turns the head to the left and to the right, and back to the middle.

    Args:
        angle: how far the head turns, 1 to 60 degrees.
        times: how often, 1 to 5.

    Returns:
        How far and how often the head was turned.
    """
    if not 1 <= angle <= 60:
        raise ValueError(f"angle {angle}: allowed are 1 to 60 degrees")
    if not 1 <= times <= 5:
        raise ValueError(f"times {times}: allowed are 1 to 5")
    try:
        for _ in range(times):
            reachy.move_head(yaw=angle, duration=0.5)
            reachy.move_head(yaw=-angle, duration=0.5)
        reachy.move_head(yaw=0, duration=0.5)
    except reachy.HostError as error:
        raise RuntimeError(f"the robot did not move: {error}") from error
    return {"angle": angle, "times": times}
