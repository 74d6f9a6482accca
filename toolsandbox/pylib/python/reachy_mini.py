"""The official SDK's ReachyMini, as far as tools need it, on top of our host: metres and radians, antennas right first.

Whatever moves is checked by the robot's own envelope. Not here: motors on and off one by one, gravity compensation,
sound in and out, recording. They raise NotImplementedError.
"""
import math
import time

import numpy as np
from _pictures import error_of, frame, picture
from reachy import HostError, call

__path__ = []
_LAWS = {"linear": "linear", "minjerk": "min_jerk", "min_jerk": "min_jerk", "ease": "ease_in_out", "ease_in_out": "ease_in_out", "cartoon": "cartoon"}
FIELD_OF_VIEW = math.radians(80)
CAMERA_IN_HEAD = (0.0437, 0.0, 0.0512)
SUPPORTED = ("goto_target, set_target, set_target_head_pose, set_target_antenna_joint_positions, set_target_body_yaw, get_current_head_pose, "
             "get_current_joint_positions, get_present_antenna_joint_positions, get_current_body_yaw, look_at_world, look_at_image, wake_up, goto_sleep, play_move, async_play_move, media, release_media")


def _ask(name, /, **args):
    try:
        return call(name, **args)
    except HostError as e:
        raise error_of(e) from None


def _pose(head):
    """x, y, z, roll, pitch, yaw of a 4 x 4 matrix."""
    m = np.asarray(head)
    if m.shape != (4, 4):
        raise ValueError(f"head has the shape {m.shape}, expected a 4x4 pose matrix as create_head_pose makes it")
    m = m.tolist()
    pitch = math.asin(max(-1.0, min(1.0, -m[2][0])))
    if abs(m[2][0]) < 1 - 1e-9:
        roll, yaw = math.atan2(m[2][1], m[2][2]), math.atan2(m[1][0], m[0][0])
    else:
        roll, yaw = 0.0, math.atan2(-m[0][1], m[1][1])
    return {"x": float(m[0][3]), "y": float(m[1][3]), "z": float(m[2][3]), "roll": roll, "pitch": pitch, "yaw": yaw}


def _matrix(x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0, yaw=0.0):
    cr, sr, cp, sp, cy, sy = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch), math.cos(yaw), math.sin(yaw)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
        [-sp, cp * sr, cp * cr, z],
        [0.0, 0.0, 0.0, 1.0],
    ], dtype=float)


def _target(head, antennas, body_yaw):
    args = {}
    if head is not None:
        args["head"] = _pose(head)
    if antennas is not None:
        right, left = (float(v) for v in antennas)
        args["antennas"] = {"left": left, "right": right}
    if body_yaw is not None:
        args["body_yaw"] = float(body_yaw)
    if not args:
        raise ValueError("At least one of head, antennas or body_yaw must be provided.")
    return args


class Camera:
    def get_frame(self):
        """The newest frame, blue first, or None when there is no camera."""
        try:
            return picture(frame("bgr"))
        except HostError as e:
            if e.code == "denied":
                raise error_of(e) from None
            return None

    read = get_frame


class Media:
    def __init__(self):
        self.camera = Camera()

    def get_frame(self):
        return self.camera.get_frame()

    def close(self):
        pass

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"media.{name} is not part of the sandbox's reachy_mini; supported are get_frame() and camera")


class ReachyMini:
    def __init__(self, *args, **options):
        self.media = self.media_manager = Media()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def goto_target(self, head=None, antennas=None, duration=0.5, method="minjerk", body_yaw=0.0):
        """Moves there in duration seconds and comes back when it is done. body_yaw=None keeps the body where it is."""
        if duration <= 0.0:
            raise ValueError("Duration must be positive and non-zero. Use set_target() for immediate position setting.")
        name = str(getattr(method, "value", method)).lower()
        if name not in _LAWS:
            raise ValueError(f"method {name!r}; supported are minjerk, linear, ease_in_out and cartoon")
        if head is None and antennas is None and body_yaw == 0.0:
            raise ValueError("At least one of head, antennas or body_yaw must be provided.")
        time.sleep(_ask("robot.move", duration=float(duration), law=_LAWS[name], **_target(head, antennas, body_yaw))["duration"])

    def set_target(self, head=None, antennas=None, body_yaw=None):
        _ask("robot.move", stream=True, **_target(head, antennas, body_yaw))

    def set_target_head_pose(self, pose): self.set_target(head=pose)
    def set_target_antenna_joint_positions(self, antennas): self.set_target(antennas=antennas)
    def set_target_body_yaw(self, body_yaw): self.set_target(body_yaw=body_yaw)

    def get_current_head_pose(self):
        return _matrix(**_ask("robot.state")["head"])

    def get_current_joint_positions(self):
        """Seven joints of the head (the body first) and two of the antennas (right, left), radians."""
        joints = _ask("robot.state")["joints"]
        return joints[:7], joints[7:]

    def get_present_antenna_joint_positions(self):
        antennas = _ask("robot.state")["antennas"]
        return [antennas["right"], antennas["left"]]

    def get_current_body_yaw(self):
        return _ask("robot.state")["body_yaw"]

    def look_at_world(self, x, y, z, duration=1.0, perform_movement=True):
        """Looks at a point (metres from the neutral head) and returns the pose for it."""
        if not (x or y or z):
            raise ValueError("look_at_world: the point is inside of the head")
        pose = _matrix(pitch=-math.atan2(z, math.hypot(x, y)), yaw=math.atan2(y, x))
        if perform_movement:
            if duration > 0:
                self.goto_target(pose, duration=duration, body_yaw=None)
            else:
                self.set_target(pose)
        return pose

    def look_at_image(self, u, v, duration=1.0, perform_movement=True):
        """Looks at a pixel of the newest frame, which it takes for one of a plain camera of 80 degrees."""
        image = self.media.get_frame()
        if image is None:
            raise RuntimeError("Camera is not initialized.")
        h, w = image.shape[:2]
        if not (0 <= u < w and 0 <= v < h):
            raise ValueError(f"pixel ({u}, {v}) is outside of the frame of {w} x {h}")
        focal = w / 2 / math.tan(FIELD_OF_VIEW / 2)
        ray = np.array([1.0, (w / 2 - u) / focal, (h / 2 - v) / focal])
        x, y, z = self.get_current_head_pose()[:3, :3] @ ray
        return self.look_at_world(x, y, z, duration, perform_movement)

    def wake_up(self): _ask("wake_up")
    def goto_sleep(self): _ask("go_to_sleep")

    def play_move(self, move, play_frequency=100.0, initial_goto_duration=0.0, sound=True):
        _ask("play_move", name=move if isinstance(move, str) else move.name)

    async def async_play_move(self, move, **options):
        self.play_move(move)

    def release_media(self): pass
    acquire_media = release_media

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"ReachyMini.{name} is not part of the sandbox's reachy_mini; supported are: {SUPPORTED}")
