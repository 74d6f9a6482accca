"""Watches the scene in front of the robot."""
import time

import cv2
from reachy import analyze_scene
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def monitor_scene(checks: int = 3, pause_seconds: float = 2.0, sensitivity: float = 4.0) -> dict[str, int | list[str]]:
    """Look around, and describe the scene whenever it has changed.

    Args:
        checks: How often to look, 1 to 20.
        pause_seconds: Time between two looks.
        sensitivity: Mean difference of brightness, 0 to 255, from which on a scene counts as changed.

    Returns:
        The number of changes, and the descriptions.
    """
    if not 1 <= checks <= 20:
        raise ValueError("checks must be between 1 and 20")
    descriptions = []
    changes = 0
    previous = None
    with ReachyMini() as mini:
        mini.goto_target(create_head_pose(yaw=10, degrees=True), duration=1.0)
        for i in range(checks):
            frame = mini.media.get_frame()
            if frame is None:
                raise RuntimeError("No frame from the camera")
            small = cv2.resize(frame, (160, 120))
            gray = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), (5, 5), 0)
            difference = 255.0 if previous is None else float(cv2.absdiff(gray, previous).mean())
            if difference >= sensitivity:
                changes += 1
                descriptions.append(analyze_scene(prompt="What is in view?")["description"])
                cv2.imwrite(f"change_{changes}.jpg", frame)
            previous = gray
            time.sleep(pause_seconds)
    return {"changes": changes, "descriptions": descriptions}
