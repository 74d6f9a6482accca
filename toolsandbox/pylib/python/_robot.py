"""Adds to the module reachy what takes more than one host call to get."""
import reachy
from _pictures import error_of, frame, picture


def _frame():
    """The newest frame of the camera: rows, columns and 3 channels, blue first."""
    try:
        return picture(frame("bgr"))
    except reachy.HostError as e:
        raise error_of(e) from None


def _detections(name=None):
    """What is in view: a list of {"name", "score", "yaw", "pitch"}, degrees."""
    return reachy.call("detect_objects", **({} if name is None else {"name": name}))["objects"]


def _state():
    """How the robot is: mode, moving, head, body_yaw, antennas; degrees and metres."""
    return reachy.call("get_robot_state")


reachy.frame, reachy.detections, reachy.state = _frame, _detections, _state
