import asyncio
import math
import time

import numpy as np
import reachy
from reachy_mini import ReachyMini
from reachy_mini.motion.recorded_move import RecordedMoves
from reachy_mini.utils import create_head_pose


def raises(kind, f, *args, **options):
    try:
        f(*args, **options)
    except kind as e:
        return str(e)
    raise AssertionError(f"{f} did not raise {kind}")


def test_goto():
    with ReachyMini(media_backend="no_media") as mini:
        began = time.monotonic()
        pose = create_head_pose(x=5, z=10, roll=5, pitch=-10, yaw=20, mm=True, degrees=True)
        mini.goto_target(head=pose, antennas=[0.5, -0.5], duration=2.0, method="minjerk")
        assert abs(time.monotonic() - began - 2) < 0.01
        assert np.allclose(mini.get_current_head_pose(), pose, atol=1e-6), mini.get_current_head_pose()
        head, antennas = mini.get_current_joint_positions()
        assert len(head) == 7 and np.allclose(antennas, [0.5, -0.5]), antennas
        assert np.allclose(mini.get_present_antenna_joint_positions(), [0.5, -0.5])
        mini.goto_target(body_yaw=np.deg2rad(30), duration=1)
        assert abs(mini.get_current_body_yaw() - math.radians(30)) < 1e-6
        mini.goto_target(antennas=np.deg2rad([10, 20]), duration=0.5, body_yaw=None)
        assert abs(mini.get_current_body_yaw() - math.radians(30)) < 1e-6


def test_target():
    with ReachyMini() as mini:
        for i in range(50):
            t = i / 50
            mini.set_target(create_head_pose(yaw=10 * math.sin(2 * math.pi * t)), antennas=(t, -t))
            time.sleep(0.02)
        assert np.allclose(mini.get_present_antenna_joint_positions(), [0.98, -0.98])


def test_looking():
    with ReachyMini() as mini:
        pose = mini.look_at_world(1, 1, 0, duration=1.0)
        assert np.allclose(pose[:3, 0], [math.sqrt(0.5), math.sqrt(0.5), 0])
        assert np.allclose(mini.get_current_head_pose(), pose, atol=1e-6)
        pose = mini.look_at_world(1, 0, -0.3, perform_movement=False)
        assert pose[2, 0] < 0
        mini.goto_target(create_head_pose(), duration=0.5)
        pose = mini.look_at_image(320, 240, duration=0.5)
        assert np.allclose(pose, np.eye(4), atol=1e-6)
        assert mini.look_at_image(0, 240, perform_movement=False)[1, 0] > 0.5  # left of the picture is to the left
        assert "outside" in raises(ValueError, mini.look_at_image, 9999, 0)


def test_moves():
    with ReachyMini() as mini:
        mini.goto_sleep()
        raises(RuntimeError, mini.goto_target, create_head_pose(yaw=10), duration=1)
        mini.wake_up()
        mini.play_move(RecordedMoves("emotions").get("happy"))


async def test_async():
    with ReachyMini() as mini:
        await asyncio.gather(mini.async_play_move("sad"), asyncio.sleep(1))
        began = time.monotonic()
        await asyncio.gather(asyncio.sleep(3), asyncio.sleep(2))
        assert abs(time.monotonic() - began - 3) < 0.01


def test_refusals():
    with ReachyMini() as mini:
        assert "pitch" in raises(ValueError, mini.goto_target, create_head_pose(pitch=60), duration=1)
        assert "Duration" in raises(ValueError, mini.goto_target, create_head_pose(), duration=0)
        assert "duration" in raises(ValueError, mini.goto_target, create_head_pose(), duration=1000)
        raises(ValueError, mini.goto_target, np.eye(3))
        raises(ValueError, mini.goto_target, create_head_pose(), method="magic")
        raises(ValueError, mini.set_target)
        assert "supported are" in raises(NotImplementedError, lambda: mini.enable_gravity_compensation())
        assert "supported are" in raises(NotImplementedError, lambda: mini.media.play_sound("x.wav"))


def test_reachy():
    assert reachy.frame().shape == (480, 640, 3)
    assert [d["name"] for d in reachy.detections("cup")] == ["cup"] and len(reachy.detections()) == 3
    reachy.move_head(yaw=30, duration=1)
    assert abs(reachy.state()["head"]["yaw"] - 30) < 0.1
    reachy.notify(text="done")
    assert reachy.call("speak", text="hello") is None
    reachy.sleep(0.1)


def test_no_camera():
    with ReachyMini() as mini:
        assert mini.media.get_frame() is None and mini.media.camera.read() is None
        raises(RuntimeError, mini.look_at_image, 1, 1)
        raises(RuntimeError, reachy.frame)
