"""Measures the official daemon and reachyd with the same script; cross/bench-sdk.sh calls it.

Lag, jerk and latency are read from the simulated servos, not from what the daemons say of themselves.
"""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import psutil
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

BIN = pathlib.Path(sys.argv[1])
STREAM = 6.0  # s of each stream
LOOKS = 0.021  # s between two looks at the joints that count as seen all the time
COUNT = 2 * np.pi / 4096  # rad of a servo


class Servos:
    """The simulated robot's own view of its joints."""

    def __init__(self, path):
        self.path = path
        self.connect()

    def connect(self):
        self.conn = http.client.HTTPConnection("sim", timeout=10)
        self.conn.sock = socket.socket(socket.AF_UNIX)
        self.conn.sock.connect(self.path)

    def state(self):
        try:
            self.conn.request("GET", "/state")
            return json.loads(self.conn.getresponse().read())
        except (BrokenPipeError, http.client.RemoteDisconnected):  # a connection that was idle is closed
            self.connect()
            return self.state()

    def faults(self, now):
        self.connect()
        self.conn.request("PUT", "/faults", json.dumps(now))
        answer = self.conn.getresponse()
        if answer.status != 200:
            raise RuntimeError(answer.read())
        answer.read()


def prefer(by=15):
    """Servos are not slowed by what drives them: where it may, the simulation goes before the daemons, and both daemons before others."""
    with contextlib.suppress(PermissionError):
        os.nice(-by)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cpu(process):
    """Seconds of processor, to the nanosecond: of what sleeps most of the time utime and stime see only whole hundredths."""
    took = 0
    with contextlib.suppress(psutil.Error):
        for p in [process, *process.children(recursive=True)]:
            for thread in pathlib.Path(f"/proc/{p.pid}/task").iterdir():
                with contextlib.suppress(OSError):  # it has just ended
                    took += int((thread / "schedstat").read_text().split()[0])
    return took / 1e9


def load(process, seconds=8.0):
    before, began = cpu(process), time.perf_counter()
    time.sleep(seconds)
    return 100 * (cpu(process) - before) / (time.perf_counter() - began)


def resident(process):
    return sum(p.memory_info().rss for p in [process, *process.children(recursive=True)]) / 2**20


def latency(mini, servos, times=60):
    """From set_target to the servo's goal register, ms; joint 7 is the right antenna."""
    took = []
    for i in range(times):
        goal = servos.state()["goals"][7]
        began = time.perf_counter()
        mini.set_target(antennas=[0.1 if i % 2 else -0.1, 0.0])
        while servos.state()["goals"][7] == goal and time.perf_counter() - began < 1:
            pass
        took.append(1000 * (time.perf_counter() - began))
        time.sleep(0.15)
    return np.percentile(took, [50, 95, 99])


def onsets(mini, servos, times=16):
    """From goto_target to the first goal register that goes where it will be at the end, and to the first that has gone two counts there.

    One count says little: who begins at the measured joints rounds them, half of them to the right side, before anything moves.
    """
    took = {1: [], 2: []}
    for i in range(times):
        seen = [(time.perf_counter(), servos.state()["goals"])]
        side = 1 if i % 2 else -1
        goal = {"head": create_head_pose(roll=15 * side, degrees=True)} if i % 4 < 2 else {"antennas": [0.8 * side, -0.8 * side]}
        mover = threading.Thread(target=lambda: mini.goto_target(duration=1.0, **goal))
        mover.start()
        while mover.is_alive():
            goals = servos.state()["goals"]
            if goals != seen[-1][1]:
                seen.append((time.perf_counter(), goals))
            time.sleep(0.001)  # the client's own threads need the interpreter, too
        way = [b - a for a, b in zip(seen[0][1], seen[-1][1])]
        for counts, list in took.items():
            least = (counts - 0.5) * COUNT
            first = next((at for at, goals in seen if any(abs(w) > 0.05 and (g - a) * np.sign(w) > least for g, a, w in zip(goals, seen[0][1], way))), None)
            if i > 0 and first is not None:  # the first one only goes to where the others begin
                list.append(1000 * (first - seen[0][0]))
        time.sleep(0.5)
    return [np.percentile(list, [50, 95]) for list in took.values()]


def stream(mini, servos, hz, kind):
    """Follows a sine of 1 Hz: how late the joint is, ms, its jerk, rad/s³ (root of the mean square), and the times between two goals, ms."""
    joint = 1 if kind == "roll" else 7
    seen, asked, told, over = [], [], [], threading.Event()

    def watch():
        last = goal = None
        while not over.is_set():
            now = time.perf_counter()
            s = servos.state()
            if s["goals"][joint] != goal:
                goal = s["goals"][joint]
                told.append(now)
            if s["time"] != last:
                last = s["time"]
                seen.append((now, s["time"], s["joints"][joint]))
            time.sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    began, n = time.perf_counter(), 0
    while (t := time.perf_counter() - began) < STREAM:
        v = np.sin(2 * np.pi * t)
        if kind == "roll":
            mini.set_target(head=create_head_pose(roll=15 * v, degrees=True), antennas=[0, 0], body_yaw=0.0)
        else:
            mini.set_target(head=create_head_pose(), antennas=[0.8 * v, -0.8 * v], body_yaw=0.0)
        asked.append((time.perf_counter(), v))
        n += 1
        time.sleep(max(0, began + n / hz - time.perf_counter()))
    over.set()
    watcher.join()
    wall, sim, at = np.array(seen).T
    keep = wall - began > 2

    def phase(t, v):
        a = np.c_[np.sin(2 * np.pi * t), np.cos(2 * np.pi * t), np.ones_like(t), np.sin(4 * np.pi * t), np.cos(4 * np.pi * t)]
        c = np.linalg.lstsq(a, v, rcond=None)[0]
        return np.arctan2(c[1], c[0])

    when, what = np.array(asked).T
    later = phase(when[when - began > 2] - began, what[when - began > 2]) - phase(wall[keep] - began, at[keep])
    later = (later + np.pi / 2) % np.pi - np.pi / 2  # a joint that turns the other way is not half a period late
    grid = np.arange(sim[keep][0], sim[keep][-1], 0.01)
    jerk = np.diff(np.interp(grid, sim[keep], at[keep]), 3) / 0.01**3
    # Where this script was kept from looking, the line between two looks has corners that the joint has not.
    looked = np.searchsorted(sim[keep], grid, side="right")
    seldom = np.diff(sim[keep])[np.clip(looked - 1, 0, len(sim[keep]) - 2)] > LOOKS
    jerk = jerk[~np.lib.stride_tricks.sliding_window_view(seldom, 4).any(axis=1)]
    return 1000 * later / (2 * np.pi), float(np.sqrt(np.mean(jerk**2))), np.percentile(1000 * np.diff(told), [50, 95, 99])


def connected(port):
    return ReachyMini(port=port, media_backend="no_media", connection_mode="localhost_only", timeout=5)


def told(do, *args, **kw):
    """What a script hears."""
    try:
        do(*args, **kw)
    except Exception as e:
        return f"raises: {str(e).splitlines()[0][:60]}"
    return "nothing is said"


def obeys(port, servos):
    """Whether a script that comes then moves the robot."""
    try:
        with connected(port) as mini:
            mini.enable_motors()
            mini.goto_target(create_head_pose(), antennas=[0, 0], duration=0.5)
            before = servos.state()["joints"][7]
            mini.goto_target(antennas=[0.5, -0.5], duration=0.5)
            return abs(servos.state()["joints"][7] - before) > 0.3
    except Exception:
        return False


def unreachable(port, servos):
    with connected(port) as mini:
        said = told(mini.goto_target, create_head_pose(pitch=80, degrees=True), duration=0.5)
    return f"{said}; then it {'obeys' if obeys(port, servos) else 'does not obey'}"


def not_a_number(port, servos):
    with connected(port) as mini:
        for _ in range(20):
            mini.set_target(head=np.full((4, 4), np.nan))
            time.sleep(0.01)
        said = heard(mini)
    return f"{said}; then it {'obeys' if obeys(port, servos) else 'does not obey'}"


def heard(mini):
    """What the status says is wrong, within two of its periods."""
    until = time.perf_counter() + 1
    while time.perf_counter() < until:
        with contextlib.suppress(Exception):
            if error := mini.client.get_status(wait=True, timeout=1).error:
                return f"the status says: {error[:80]}"
    return "nothing is said"


def moves_on(servos):
    """For how many seconds from now the goals still change: until they have stood for one, 30 at most."""
    begun = last = time.perf_counter()
    goals = servos.state()["goals"]
    while time.perf_counter() - last < 1 and time.perf_counter() - begun < 30:
        now = servos.state()["goals"]
        if now != goals:
            goals, last = now, time.perf_counter()
        time.sleep(0.005)
    return last - begun


def flood(port, servos, times=3):
    """As many targets as one client can send: how many, the longest gap between states at another one, how long the goal moves on, and
    when an antenna is within a degree of the last target, or how far from it the antenna ends. Medians of three."""
    sent, gap, on, there, off = np.median([flooded(port, servos) for _ in range(times)], axis=0)
    end = f"at the last target after {1000 * there:.0f} ms" if off < np.deg2rad(1) else f"ends {np.rad2deg(off):.1f}° from the last target"
    return f"{sent:.0f} a second; longest gap {1000 * gap:.0f} ms; goal moves on for {1000 * on:.0f} ms; {end}"


def flooded(port, servos, seconds=3.0):
    from websockets.sync.client import connect

    gaps, over = [], threading.Event()

    def watch():
        with connect(f"ws://127.0.0.1:{port}/ws/sdk", max_size=None) as s:
            last = time.perf_counter()
            while not over.is_set():
                if json.loads(s.recv(timeout=30)).get("type") == "joint_positions":
                    now = time.perf_counter()
                    gaps.append(now - last)
                    last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    with connect(f"ws://127.0.0.1:{port}/ws/sdk", max_size=None) as s:
        threading.Thread(target=lambda: [None for _ in s], daemon=True).start()
        began, n = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            a = 0.5 * np.sin(2 * np.pi * (time.perf_counter() - began))
            s.send(json.dumps({"type": "set_full_target", "antennas": [a, -a]}))
            n += 1
            if n % 130 == 0:
                time.sleep(max(0, began + n / 13000 - time.perf_counter()))
        ended, seen = time.perf_counter(), []
        while time.perf_counter() - ended < 1:
            now = servos.state()
            seen.append((time.perf_counter() - ended, now["goals"][7], now["joints"][7]))
            time.sleep(0.002)
    over.set()
    watcher.join(30)
    when, goal, joint = np.array(seen).T
    side = 1 if abs(goal[-1] - a) < abs(goal[-1] + a) else -1
    on = max(when[np.abs(goal - goal[-1]) > COUNT / 2], default=0)
    there = max(when[np.abs(joint - side * a) > np.deg2rad(1)], default=0)
    return n / seconds, max(gaps[1:]), on, there, abs(joint[-1] - side * a)


KILLED = """
import sys
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose
mini = ReachyMini(port=int(sys.argv[1]), media_backend="no_media", connection_mode="localhost_only")
print("here", flush=True)
mini.goto_target(create_head_pose(yaw=40, degrees=True), antennas=[1, -1], duration=8)
"""


def killed(port, servos):
    with connected(port) as mini:
        mini.goto_target(create_head_pose(), antennas=[0, 0], duration=0.5)
    with subprocess.Popen([sys.executable, "-c", KILLED, str(port)], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        time.sleep(1.5)
        child.kill()
    return f"{moves_on(servos):.1f}"


def unplugged(port, servos):
    servos.faults({"unplug": True})
    time.sleep(2)
    servos.faults({})
    began = time.perf_counter()
    while time.perf_counter() - began < 30:
        if obeys(port, servos):
            return f"{time.perf_counter() - began:.1f} (of which 1 s are the moves that show it)"
        time.sleep(0.5)
    return "not within 30 s"


TROUBLES = {
    "a pose out of reach: what the script hears": unreachable, "20 targets of NaN: what the script hears": not_a_number, "flood of targets": flood,
    "client killed in a goto: moves on for, s": killed, "bus unplugged for 2 s: moves again after, s": unplugged,
}  # fmt: skip


def measure(name, command, env, port, dir):
    rows = {}
    sim = subprocess.Popen(
        [BIN / "reachy-sim", "--model", "simple", "--pty", f"{dir}/tty", "--http", f"{dir}/sim.sock"], stderr=subprocess.DEVNULL,
        preexec_fn=prefer,
    )
    daemon = None
    try:
        for _ in range(300):
            if os.path.exists(f"{dir}/tty") and os.path.exists(f"{dir}/sim.sock"):
                break
            time.sleep(0.05)
        servos = Servos(f"{dir}/sim.sock")
        log = open(f"{dir}/log", "w")
        began = time.perf_counter()
        daemon = subprocess.Popen([a.format(port=port, tty=f"{dir}/tty") for a in command], env={**os.environ, **{k: v.format(port=port, dir=dir) for k, v in env.items()}}, stdout=log, stderr=log, preexec_fn=lambda: prefer(10))
        process = psutil.Process(daemon.pid)
        while True:
            try:
                mini = ReachyMini(port=port, media_backend="no_media", connection_mode="localhost_only", timeout=2)
                mini.enable_motors()
                break
            except Exception as e:
                if time.perf_counter() - began > 60 or daemon.poll() is not None:
                    raise RuntimeError(f"{name} does not come: {e} {last_line(f'{dir}/log')}") from e
        rows["start to first state, s"] = time.perf_counter() - began
        time.sleep(2)
        one, two = onsets(mini, servos)
        rows["goto to first goal on its way by one count, which may be rounding, p50 / p95, ms"] = one
        rows["goto to first goal on its way by two counts, p50 / p95, ms"] = two
        rows["set_target to goal register, antenna, p50 / p95 / p99, ms"] = latency(mini, servos)
        for hz in (100, 20):
            for kind in ("roll", "antennas"):
                lag, jerk, between = stream(mini, servos, hz, kind)
                rows[f"{kind} at {hz} Hz: lag, ms"], rows[f"{kind} at {hz} Hz: jerk, rad/s³"] = lag, jerk
                if hz == 100:
                    rows[f"{kind} at {hz} Hz: between two goals at the servo, p50 / p95 / p99, ms"] = between
        rows["processor, 1 client, % of a core"] = load(process)
        more = [ReachyMini(port=port, media_backend="no_media", connection_mode="localhost_only") for _ in range(4)]
        rows["processor, 5 clients, % of a core"] = load(process)
        rows["memory, 5 clients, MB"] = resident(process)
        for m in [mini, *more]:
            m.client.disconnect()
        time.sleep(1)
        rows["processor, no client, % of a core"] = load(process)
        rows["memory, no client, MB"] = resident(process)
        for trouble, meet in TROUBLES.items():
            try:
                rows[trouble] = meet(port, servos)
            except Exception as e:
                rows[trouble] = f"{type(e).__name__}: {str(e).splitlines()[0][:60]}"
        return rows
    finally:
        for p in (daemon, sim):
            if p is not None and p.poll() is None:
                p.send_signal(signal.SIGINT)
                try:
                    p.wait(20)
                except subprocess.TimeoutExpired:
                    p.kill()
                    p.wait()


def last_line(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return ([line for line in f.read().splitlines() if line.strip()] or [""])[-1]


def tried(*args, times=4):
    """On a busy host the official daemon may miss a servo when it starts, and gives up."""
    for n in range(times):
        try:
            with tempfile.TemporaryDirectory() as dir:
                return measure(*args, free_port(), dir)
        except (RuntimeError, OSError) as e:  # a busy host: the official daemon loses its client, too
            print(e, file=sys.stderr)
            if n == times - 1:
                sys.exit(f"bench-sdk: NOT MEASURED: {args[0]} does not start on this host, at a load of {os.getloadavg()[0]:.0f}")


def text(v):
    if isinstance(v, str):
        return v
    return " / ".join(f"{x:.1f}" for x in v) if isinstance(v, np.ndarray) else f"{v:.1f}"


def main():
    os.environ["HF_HUB_OFFLINE"] = "1"
    official = [sys.executable, "-m", "reachy_mini.daemon.app.main", "--serialport", "{tty}", "--no-media", "--headless", "--no-preload-datasets"]
    official += ["--no-wake-up-on-start", "--no-goto-sleep-on-stop", "--fastapi-port", "{port}", "--log-level", "WARNING"]
    ours = {
        "REACHYD_HTTP_LISTEN": "127.0.0.1:{port}", "REACHYD_MQTT_LISTEN": "127.0.0.1:0", "REACHYD_SENSE_RUN": "never", "REACHYD_IDLE": "off",
        "REACHYD_DATA_DIR": "{dir}/data", "REACHYD_RUN_DIR": "{dir}", "XDG_CONFIG_HOME": "{dir}/config", "REACHYD_BODY_PORT": "{dir}/tty",
    }
    found = {
        "official daemon": tried("the official daemon", official, {}),
        "reachyd": tried("reachyd", [str(BIN / "reachyd"), "run"], ours),
    }
    print(f"load of the host at the end: {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors\n")
    print("| | " + " | ".join(found) + " |\n|---|" + "---|" * len(found))
    for row in next(iter(found.values())):
        print(f"| {row} | " + " | ".join(text(f[row]) for f in found.values()) + " |")


main()
