"""The part of OpenCV that needs no pixels in here: imwrite asks the host to save a frame of the camera in the tool's own
folder. What is missing raises AttributeError."""
import reachy
from reachy_mini import Frame


def imwrite(filename, frame, params=None):
    """Saves a frame under a name. Returns whether the host did so."""
    if not isinstance(frame, Frame):
        raise TypeError(f"imwrite() takes a frame of the camera, not {type(frame).__name__}")
    answer = reachy.call("save_photo", photo=frame.photo, name=str(filename))
    return not isinstance(answer, dict) or answer.get("status") != "error"
