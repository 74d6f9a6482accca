"""What a script does with the official SDK, against reachyd on the port that is given."""

import sys
import time

import numpy as np

from reachy_mini import ReachyMini
from reachy_mini.io.ws_client import WSClient
from reachy_mini.utils import create_head_pose


def near(a, b, by=0.02):
    return np.allclose(np.array(a), np.array(b), atol=by)


def raises(kind, part, do):
    try:
        do()
    except kind as e:
        assert part in str(e), f"{e} lacks {part}"
        return
    raise AssertionError(f"{part}: nothing was raised")


def settled(value, want, by=0.02):
    end = time.time() + 30
    while not near(value(), want, by):
        assert time.time() < end, f"{value()} is not {want}"
        time.sleep(0.02)


# The SDK grants a move one second more than its duration; a body without real-time priority on a busy host may need more.
patient = 30
waits = WSClient.wait_for_task_completion
WSClient.wait_for_task_completion = lambda client, task, timeout=5.0: waits(client, task, timeout + patient)

port = int(sys.argv[1])
with ReachyMini(port=port, connection_mode="localhost_only") as mini:
    assert len(mini.get_current_joint_positions()[0]) == 7
    mini.wake_up()
    pose = create_head_pose(z=8, roll=10, mm=True, degrees=True)
    mini.goto_target(pose, antennas=[-0.5, 0.5], duration=0.6)
    settled(mini.get_current_head_pose, pose)
    settled(mini.get_present_antenna_joint_positions, [-0.5, 0.5])
    for method in ("linear", "minjerk", "ease_in_out", "cartoon"):
        mini.goto_target(create_head_pose(), antennas=[0, 0], duration=0.3, method=method, body_yaw=None)
    mini.look_at_world(0.5, 0.1, 0.1, duration=0.4)
    mini.look_at_world(0.5, 0.0, 0.0, duration=0)
    raises(RuntimeError, "Camera", lambda: mini.look_at_image(10, 10))
    mini.goto_target(create_head_pose(), duration=0.4)
    for i in range(100):
        yaw = 0.3 * np.sin(i / 100 * 2 * np.pi)
        mini.set_target(create_head_pose(yaw=yaw, degrees=False), antennas=[yaw, -yaw], body_yaw=yaw / 2)
        time.sleep(0.01)
    mini.set_target_head_pose(create_head_pose(pitch=10, degrees=True))
    mini.set_target_body_yaw(0.2)
    mini.set_target_antenna_joint_positions([0.3, -0.3])
    settled(mini.get_present_antenna_joint_positions, [0.3, -0.3])
    settled(lambda: mini.get_current_joint_positions()[0][0], 0.2)
    settled(mini.get_current_head_pose, create_head_pose(pitch=10, degrees=True))
    raises(Exception, "head.pitch", lambda: mini.goto_target(create_head_pose(pitch=80, degrees=True), duration=0.5))
    mini.start_recording()
    for i in range(20):
        mini.set_target(antennas=[0.02 * i, 0])
        time.sleep(0.01)
    assert len(mini.stop_recording()) == 20
    mini.disable_motors(["left_antenna"])
    mini.enable_motors(["left_antenna"])
    mini.disable_motors()
    end = time.time() + 30
    while mini.client.get_status().backend_status.motor_control_mode.value != "disabled":
        assert time.time() < end
    raises(Exception, "enable_motors", lambda: mini.goto_target(create_head_pose(), duration=0.2))
    mini.enable_motors()
    end = time.time() + 30
    while mini.client.get_status().backend_status.motor_control_mode.value != "enabled":
        assert time.time() < end
    with ReachyMini(port=port, connection_mode="localhost_only") as second:
        settled(second.get_current_head_pose, mini.get_current_head_pose())
    mini.goto_sleep()
    settled(mini.get_present_antenna_joint_positions, [-3.05, 3.05], 0.1)
raises(ConnectionError, "", lambda: ReachyMini(robot_name="no-such-robot", port=port, host="127.0.0.1", timeout=1))
print("all passed")
