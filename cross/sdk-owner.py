"""What owners' scripts do with the official SDK, right and wrong, against a whole simulated robot; cross/sdk-owner.sh calls it.

usage: sdk-owner.py PORT RESTART   RESTART is a file: when it is there the robot is ended and begun again, and it is removed.
Prints a table: pass, or the reason.
"""

import json
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.motion.recorded_move import RecordedMoves
from reachy_mini.utils import create_head_pose

PORT, RESTART = int(sys.argv[1]), pathlib.Path(sys.argv[2])
PATIENCE = 30  # s
failed = 0


def connect(**more):
    return ReachyMini(port=PORT, connection_mode="localhost_only", media_backend="no_media", timeout=PATIENCE, **more)


def row(name, do, *args):
    """One line of the table: what do raises is why it failed, and a text that it returns is a remark."""
    global failed
    try:
        said = do(*args)
        print(f"{name:60} pass{': ' + said if isinstance(said, str) else ''}", flush=True)
    except Exception as e:  # all of them are the table's
        failed += 1
        text = (str(e).splitlines() or [""])[0]
        print(f"{name:60} FAIL: {type(e).__name__}: {text}", flush=True)


def check(ok, what):
    if not ok:
        raise AssertionError(what)


def degrees(a, b):
    """The angle between two poses."""
    return np.degrees(np.arccos(np.clip((np.trace(a[:3, :3].T @ b[:3, :3]) - 1) / 2, -1, 1)))


def settled(value, want, by):
    want, end = np.array(want), time.monotonic() + PATIENCE
    while not np.allclose(np.array(value()), want, atol=by):
        check(time.monotonic() < end, f"{np.round(value(), 3).tolist()} is not {np.round(want, 3).tolist()}")
        time.sleep(0.02)


def raises(part, do, *args, **kw):
    try:
        do(*args, **kw)
    except Exception as e:
        check(part.lower() in str(e).lower(), f"{type(e).__name__}: {e} lacks {part!r}")
        return str(e).splitlines()[0]
    raise AssertionError("nothing is raised")


def status(mini):
    return mini.client.get_status(wait=True)


def still(mini, seconds=0.6):
    """The head stays where it is."""
    time.sleep(0.3)
    before = mini.get_current_head_pose()
    time.sleep(seconds)
    moved = degrees(before, mini.get_current_head_pose())
    check(moved < 0.5, f"it goes on: {moved:.1f}°")


def gotos(mini):
    worst = 0.0
    for n, method in enumerate(("linear", "minjerk", "ease_in_out", "cartoon")):
        pose = create_head_pose(z=5, roll=8 if n % 2 else -8, pitch=5, mm=True, degrees=True)
        began = time.monotonic()
        mini.goto_target(pose, antennas=[0.3, -0.3], duration=0.8, method=method, body_yaw=0.1 * n)
        took = time.monotonic() - began
        settled(mini.get_present_antenna_joint_positions, [0.3, -0.3], 0.03)
        settled(mini.get_current_head_pose, pose, 0.02)
        check(0.75 < took < 1.7, f"{method} of 0.8 s took {took:.2f} s")
        worst = max(worst, degrees(pose, mini.get_current_head_pose()))
    return f"{worst:.2f}° off at most"


def stream(mini):
    seen, asked = [], []
    began = time.monotonic()
    for n in range(300):
        t = n / 100
        roll = 10 * np.sin(2 * np.pi * t)
        mini.set_target(head=create_head_pose(roll=roll, degrees=True), antennas=[0.3 * np.sin(2 * np.pi * t)] * 2, body_yaw=0.0)
        asked.append(roll)
        at = mini.get_current_head_pose()
        seen.append(np.degrees(np.arctan2(at[2, 1], at[2, 2])))
        time.sleep(max(0, began + (n + 1) / 100 - time.monotonic()))
    asked, seen = np.array(asked[100:]), np.array(seen[100:])
    lags = [np.mean((asked[: len(asked) - k] - seen[k:]) ** 2) for k in range(25)]
    check(np.ptp(seen) > 14, f"a sine of 20° is one of {np.ptp(seen):.0f}°")
    return f"what the script reads follows {10 * int(np.argmin(lags))} ms behind"


def looks(mini):
    for point in ((1, 0.3, 0.1), (1, -0.3, 0), (0.5, 0, 0.2)):
        pose = mini.look_at_world(*point, duration=0.6)
        settled(mini.get_current_head_pose, pose, 0.03)
    mini.look_at_world(1, 0, 0, duration=0)


def turns(mini):
    for yaw in (0.8, -0.8, 0.0):
        mini.goto_target(body_yaw=yaw, duration=0.8)
        settled(lambda: mini.get_current_joint_positions()[0][0], yaw, 0.03)
    said = []
    for yaw in (60, -60, 0):
        mini.goto_target(create_head_pose(yaw=yaw, degrees=True), duration=1.0, body_yaw=None)
        pose = mini.get_current_head_pose()
        said.append(abs(np.degrees(np.arctan2(pose[1, 0], pose[0, 0])) - yaw))
    check(max(said) < 2, f"{max(said):.1f}° off")
    return f"{max(said):.2f}° off at most"


def far(mini):
    """The head gives way where it is turned far against the body; that is told to who listens."""
    import websockets.sync.client as ws

    with ws.connect(f"ws://127.0.0.1:{PORT}/api/move/ws/updates") as updates:
        mini.goto_target(create_head_pose(yaw=120, degrees=True), duration=2.0, body_yaw=0.0)
        told = {}
        while told.get("type") != "move_completed":
            told = json.loads(updates.recv(timeout=PATIENCE))
    time.sleep(0.5)
    off = degrees(create_head_pose(yaw=120, degrees=True), mini.get_current_head_pose())
    mini.goto_target(create_head_pose(), duration=2.0, body_yaw=0.0)
    check(off < 1.5 or "from its goal" in told["details"], f"{off:.1f}° off, and nothing is said")
    return f"{off:.1f}° off; told: {told['details']}"


def single(mini):
    mini.set_target_head_pose(create_head_pose(pitch=8, degrees=True))
    mini.set_target_body_yaw(0.2)
    mini.set_target_antenna_joint_positions([0.4, -0.2])
    settled(mini.get_present_antenna_joint_positions, [0.4, -0.2], 0.03)
    settled(lambda: mini.get_current_joint_positions()[0][0], 0.2, 0.03)
    settled(mini.get_current_head_pose, create_head_pose(pitch=8, degrees=True), 0.03)
    mini.set_target(antennas=np.array([0.1, 0.1]))
    settled(mini.get_present_antenna_joint_positions, [0.1, 0.1], 0.03)


def sleeps(mini):
    mini.goto_sleep()
    settled(mini.get_present_antenna_joint_positions, [-3.05, 3.05], 0.15)
    mini.wake_up()
    settled(mini.get_present_antenna_joint_positions, [-0.1745, 0.1745], 0.2)


def plays(mini):
    moves = RecordedMoves("pollen-robotics/reachy-mini-emotions-library")
    names = moves.list_moves()
    check(names, "there are no moves")
    for name in names[:1]:
        mini.play_move(moves.get(name), initial_goto_duration=0.5, play_frequency=100)
    return f"{len(names)} moves, one played"


def records(mini):
    mini.start_recording()
    for i in range(50):
        mini.set_target(head=create_head_pose(z=i / 10, mm=True), antennas=[0.01 * i, 0], body_yaw=0.0)
        time.sleep(0.01)
    data = mini.stop_recording()
    check(len(data) == 50 and {"time", "head", "antennas", "body_yaw"} <= set(data[0]), f"{len(data)} records, {set(data[0]) if data else None}")
    check(abs(data[-1]["antennas"][0] - 0.49) < 1e-6, f"the last record is {data[-1]}")


def guided(mini):
    mini.disable_motors()
    mini.start_recording()
    time.sleep(1)
    data = mini.stop_recording()
    mini.enable_motors()
    check(len(data) > 20, f"{len(data)} records")
    return f"{len(data)} records a second"


def by_name(mini):
    mini.disable_motors(ids=["left_antenna", "right_antenna"])
    mini.goto_target(create_head_pose(roll=5, degrees=True), duration=0.5)
    mini.enable_motors(ids=["left_antenna", "right_antenna"])
    mini.goto_target(antennas=[0.2, -0.2], duration=0.5)
    settled(mini.get_present_antenna_joint_positions, [0.2, -0.2], 0.03)


def wrong_name(mini):
    mini.disable_motors(ids=["left_ear"])
    mini.goto_target(antennas=[0, 0], duration=0.4)  # nothing was switched off


def gravity(mini):
    mini.enable_gravity_compensation()
    time.sleep(0.5)
    mode = status(mini).backend_status.motor_control_mode.value
    mini.disable_gravity_compensation()
    mini.goto_target(create_head_pose(), duration=0.5)
    return f"the mode is then {mode}"


def body_follows(mini):
    mini.set_automatic_body_yaw(True)
    mini.goto_target(create_head_pose(yaw=90, degrees=True), duration=1.5, body_yaw=None)
    body = np.degrees(mini.get_current_joint_positions()[0][0])
    mini.goto_target(create_head_pose(), duration=1.5, body_yaw=0.0)
    check(body > 20, f"the body turned by {body:.0f}°")
    return f"the body turned by {body:.0f}°"


def two(mini):
    with connect() as second:
        mini.set_target(antennas=[0.3, 0.3])
        settled(second.get_present_antenna_joint_positions, [0.3, 0.3], 0.03)
        for _ in range(30):
            mini.set_target(antennas=[0.3, 0.3])
            second.set_target(antennas=[-0.3, -0.3])
            time.sleep(0.01)
        settled(mini.get_present_antenna_joint_positions, [0.3, 0.3], 0.03)
    time.sleep(2.5)  # the first one is silent, and gives the robot back
    with connect() as second:
        second.goto_target(antennas=[0, 0], duration=0.5)
        settled(mini.get_present_antenna_joint_positions, [0, 0], 0.03)


CHILD = """
import sys, time
import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose
with ReachyMini(port=int(sys.argv[1]), connection_mode="localhost_only", media_backend="no_media", timeout=30) as mini:
    print("here", flush=True)
    if sys.argv[2] == "goto":
        mini.goto_target(create_head_pose(yaw=40, degrees=True), duration=8, body_yaw=0)
    while True:
        mini.set_target(head=create_head_pose(roll=12 * np.sin(5 * time.time()), degrees=True), antennas=[0, 0], body_yaw=0.0)
        time.sleep(0.01)
"""


def killed(mini, how):
    mini.goto_target(create_head_pose(), duration=0.6)
    time.sleep(2.5)
    with subprocess.Popen([sys.executable, "-c", CHILD, str(PORT), how], stdout=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        time.sleep(2)
        child.send_signal(signal.SIGKILL)
    still(mini)
    check(status(mini).backend_status.motor_control_mode.value == "enabled", "the motors are off")
    mini.goto_target(create_head_pose(), duration=0.6)


def finite(mini, head):
    """Whatever is sent, the robot stays well and obeys afterwards."""
    said = None
    try:
        mini.set_target(head=head)
    except Exception as e:
        said = f"{type(e).__name__}: {e}".splitlines()[0]
    time.sleep(0.2)
    pose = mini.get_current_head_pose()
    check(np.isfinite(pose).all(), "where the robot is is no number")
    mini.goto_target(create_head_pose(), antennas=[0, 0], duration=0.5)
    return said


def raw(mini, text):
    """A message that the SDK would not send itself."""
    import websockets.sync.client as ws

    with ws.connect(f"ws://127.0.0.1:{PORT}/ws/sdk", max_size=None) as s:
        s.send(text)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            m = json.loads(s.recv(timeout=PATIENCE))
            if m.get("type") == "daemon_status" and (m.get("reachyd") or {}).get("refused"):
                return m["reachyd"]["refused"][:90]
    raise AssertionError("nothing says why")


def impossible(mini):
    return raises("head", mini.goto_target, create_head_pose(pitch=80, degrees=True), duration=0.5)


def too_soon(mini):
    said = raises("duration", mini.goto_target, create_head_pose(yaw=150, degrees=True), duration=0.05, body_yaw=None)
    time.sleep(3)
    mini.goto_target(create_head_pose(), duration=3, body_yaw=0.0)
    return said[:120]


def cancels(mini):
    import threading

    got = []

    def go():
        try:
            mini.goto_target(create_head_pose(yaw=40, degrees=True), duration=6, body_yaw=0.0)
            got.append("came to its end")
        except Exception as e:
            got.append(str(e))

    t = threading.Thread(target=go)
    t.start()
    time.sleep(1)
    with connect() as second:
        second.client.send_command(__import__("reachy_mini.io.protocol", fromlist=["x"]).StopMoveCmd())
        still(mini)
    t.join(PATIENCE)
    check(not t.is_alive(), "the script still waits")
    mini.goto_target(create_head_pose(), duration=0.8, body_yaw=0.0)
    return got[0].splitlines()[0]


def long_recording(mini):
    mini.start_recording()
    for i in range(12000):
        mini.client.send_command(append(i))
    data = mini.stop_recording()
    check(len(data) > 1000, f"{len(data)} records")
    return f"{len(data)} of 12000 records"


def append(i):
    import reachy_mini.io.protocol as p

    return p.AppendRecordCmd(record={"time": i / 100, "head": np.eye(4).tolist(), "antennas": [0.0, 0.0], "body_yaw": 0.0, "check_collision": False})


def restarted():
    mini = connect()
    mini.goto_target(antennas=[0.2, 0.2], duration=0.5)
    RESTART.touch()
    end = time.monotonic() + 2 * PATIENCE
    while RESTART.exists() and time.monotonic() < end:
        time.sleep(0.05)
    said = "goes on by itself"
    try:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            mini.set_target(antennas=[0.1, 0.1])
            time.sleep(0.1)
        mini.goto_target(antennas=[0.0, 0.0], duration=0.5)
    except Exception as e:
        said = f"the old connection: {type(e).__name__}"
    with connect() as again:
        again.enable_motors()
        again.goto_target(antennas=[0.1, -0.1], duration=0.5)
        settled(again.get_present_antenna_joint_positions, [0.1, -0.1], 0.03)
    return said


nan, inf = float("nan"), float("inf")
with connect() as robot:
    robot.enable_motors()
    row("wake_up", lambda: robot.wake_up())
    row("goto_target, all four kinds of interpolation", gotos, robot)
    row("set_target at 100 Hz", stream, robot)
    row("look_at_world", looks, robot)
    row("body and head turn, each alone", turns, robot)
    row("head yaw of 120°", far, robot)
    row("set_target_head_pose, _body_yaw, _antenna_joint_positions", single, robot)
    row("goto_sleep, wake_up", sleeps, robot)
    row("play_move of a recorded move", plays, robot)
    row("start_recording, stop_recording of a stream", records, robot)
    row("recording while the motors are off", guided, robot)
    row("recording of 12 000 frames", long_recording, robot)
    row("disable_motors, enable_motors by name", by_name, robot)
    row("disable_motors of a motor that does not exist", wrong_name, robot)
    row("gravity compensation", gravity, robot)
    row("automatic body yaw", body_follows, robot)
    row("two clients at once", two, robot)
    row("a client killed in a stream", killed, robot, "stream")
    row("a client killed in a goto", killed, robot, "goto")
    row("a goto that another client cancels", cancels, robot)
    row("a pose that cannot be reached", impossible, robot)
    row("more than can be done in that time", too_soon, robot)
    row("set_target with NaN", finite, robot, np.full((4, 4), nan))
    row("set_target with an infinite number", finite, robot, np.diag([inf, 1, 1, 1]))
    row("set_target with a matrix that is no rotation", finite, robot, np.diag([2.0, 2, 2, 1]))
    row("set_target with zeros", finite, robot, np.zeros((4, 4)))
    row("set_target of a wrong shape", lambda: raises("4x4", robot.set_target, head=np.eye(3)))
    row("antennas of a wrong length", lambda: raises("ntenna", robot.set_target, antennas=[0.1]))
    row("goto_target of duration 0", lambda: raises("duration", robot.goto_target, create_head_pose(), duration=0))
    row("goto_target of duration −1", lambda: raises("duration", robot.goto_target, create_head_pose(), duration=-1))
    row("goto_target of duration NaN", lambda: raises("", robot.goto_target, create_head_pose(), duration=nan))
    row("goto_target of an unknown method", lambda: raises("method", robot.goto_target, create_head_pose(), duration=0.5, method="springy"))
    row("goto_target of nothing", lambda: raises("must be provided", robot.goto_target, duration=0.5, body_yaw=None))
    row("goto_target with NaN", lambda: raises("null", robot.goto_target, np.full((4, 4), nan), duration=0.5))
    row("antennas beyond their range", lambda: raises("not reached", robot.goto_target, antennas=[9, -9], duration=1.0))
    for name, text in {
        "no JSON": "hello", "an array": "[1]", "no type": "{}", "an unknown type": '{"type":"dance"}', "NaN": '{"type":"set_antennas","antennas":[NaN,0]}',
        "1e400": '{"type":"set_body_yaw","body_yaw":1e400}', "a head of 15 numbers": '{"type":"set_target","head":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0]}',
        "text in place of a number": '{"type":"set_body_yaw","body_yaw":"left"}', "null": '{"type":"set_target","head":null}',
    }.items():  # fmt: skip
        row(f"a message: {name}", raw, robot, text)
    row("the robot is well after all that", lambda: robot.goto_target(create_head_pose(), antennas=[0, 0], duration=0.6))
row("the robot is ended and begun again", restarted)
print(f"{failed} failed" if failed else "all passed")
sys.exit(1 if failed else 0)
