"""The part of the Reachy Mini SDK that tools use, on top of the robot's own tools: ReachyMini as a context manager with
goto_target, set_target, look_at_world, poses, wake_up, goto_sleep and media.get_frame. Angles are radians as in the SDK.
A frame stands for a photo on the host: it has a shape, and cv2.imwrite saves it; its pixels stay there."""
import math

import numpy as np
import reachy

__path__ = []  # reachy_mini.utils is found beside this


class RobotError(RuntimeError):
    """The robot refused; the text says why."""


def _ask(name, **args):
    answer = reachy.call(name, **{k: v for k, v in args.items() if v is not None})
    if isinstance(answer, dict) and answer.get("status") == "error":
        raise RobotError(answer.get("message", name))
    return answer.get("data") if isinstance(answer, dict) and "status" in answer else answer


class Frame:
    """A picture of the camera, by name."""

    dtype = "uint8"

    def __init__(self, photo, width, height):
        self.photo, self.shape = photo, (height, width, 3)

    @property
    def size(self):
        return math.prod(self.shape)

    def tolist(self):
        return {"photo": self.photo, "width": self.shape[1], "height": self.shape[0]}


class Camera:
    def get_frame(self):
        data = _ask("take_photo")
        return Frame(data["photo"], data.get("width", 640), data.get("height", 480))

    read = get_frame


class Media:
    def __init__(self):
        self.camera = Camera()

    def get_frame(self):
        return self.camera.get_frame()


class ReachyMini:
    """The robot this tool runs on. Parameters of the SDK for finding a robot are accepted and have no effect."""

    def __init__(self, *args, **kwargs):
        self.media = Media()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def goto_target(self, head=None, antennas=None, duration=0.5, body_yaw=None, **kwargs):
        if duration <= 0:
            raise ValueError("duration must be more than 0")
        if head is not None:
            roll, pitch, yaw = (math.degrees(a) for a in _angles(head))
            _ask("move_head", roll=roll, pitch=pitch, yaw=yaw, duration=duration)
        if antennas is not None:
            right, left = (math.degrees(a) for a in antennas)
            _ask("set_antennas", left=left, right=right, duration=duration)
        if body_yaw is not None:
            _ask("turn_body", yaw=math.degrees(body_yaw), duration=duration)

    def set_target(self, head=None, antennas=None, body_yaw=None):
        self.goto_target(head, antennas, 0.1, body_yaw)

    def look_at_world(self, x, y, z, duration=1.0, **kwargs):
        _ask("look_at", x=x, y=y, z=z, duration=duration)

    def get_current_head_pose(self):
        head = _ask("get_robot_state")["head"]
        from reachy_mini.utils import create_head_pose

        return create_head_pose(**{k: head[k] for k in ("x", "y", "z", "roll", "pitch", "yaw")})

    def get_present_antenna_joint_positions(self):
        antennas = _ask("get_robot_state")["antennas"]
        return [math.radians(antennas["right"]), math.radians(antennas["left"])]

    def wake_up(self):
        _ask("wake_up")

    def goto_sleep(self):
        _ask("go_to_sleep")


def _angles(pose):
    """Roll, pitch and yaw of a 4 by 4 pose, in radians."""
    m = np.asarray(pose).tolist()
    return math.atan2(m[2][1], m[2][2]), math.asin(min(1.0, max(-1.0, -m[2][0]))), math.atan2(m[1][0], m[0][0])
