"""Takes photos at regular intervals."""
import time

import cv2
from reachy_mini import ReachyMini


def periodic_photos(interval_seconds: float, duration_seconds: float) -> list[str]:
    """Capture photos with the robot's camera at a fixed interval.

    Args:
        interval_seconds: Time between two photos, more than 0.
        duration_seconds: How long to go on, more than 0.

    Returns:
        The names of the photos, in the order in which they were taken.
    """
    if interval_seconds <= 0:
        raise ValueError("interval_seconds must be greater than 0")
    if duration_seconds <= 0:
        raise ValueError("duration_seconds must be greater than 0")
    photos = []
    with ReachyMini() as mini:
        start = time.time()
        count = int(duration_seconds / interval_seconds)
        for i in range(count):
            frame = mini.media.get_frame()
            if frame is None:
                raise RuntimeError("No frame from the camera")
            filename = f"photo_{i + 1:03d}.jpg"
            if not cv2.imwrite(filename, frame):
                raise RuntimeError(f"Could not write {filename}")
            photos.append(filename)
            next_time = start + (i + 1) * interval_seconds
            time.sleep(max(0.0, next_time - time.time()))
    return photos
