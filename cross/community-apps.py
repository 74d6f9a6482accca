"""What cross/community-apps.sh does with each app: install, use, stop, remove.

usage: community-apps.py CROSS SOURCES [NAME...]
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Callable

CROSS, SOURCES, ONLY = sys.argv[1], sys.argv[2], sys.argv[3:]
CTL = os.path.join(CROSS, "..", "bin", "reachyctl")
ROBOT = "http://127.0.0.1:8000"
PATIENCE = 600  # s, for what will surely come: machines are busy


class Wrong(Exception):
    """Why an app has not passed."""


class Missing(Exception):
    """Why an app cannot be tried."""


def ctl(*args: str, may_fail: bool = False) -> str:
    done = subprocess.run([CTL, *args], capture_output=True, text=True, timeout=3600, check=False)
    if done.returncode != 0 and not may_fail:
        raise Wrong(f"reachyctl {' '.join(args)}: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    return done.stdout


def ask(url: str, body: object = None, method: str = "") -> str:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method or None)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def until(what: str, is_so: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if is_so():
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass  # not yet
        time.sleep(0.2)
    raise Wrong(f"{what} does not come")


def running() -> object:
    return json.loads(ctl("app", "list", "--json"))["running"]


def last_words(name: str) -> str:
    lines = [line for line in ctl("app", "log", name, may_fail=True).splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def joints() -> list[float]:
    state = json.loads(ask(ROBOT + "/api/state/full"))
    return [*state["antennas_position"], state["body_yaw"], *(state["head_pose"][axis] for axis in ("z", "roll", "pitch", "yaw"))]


JOINTS = ("right antenna", "left antenna", "body", "head up and down", "head roll", "head pitch", "head yaw")


def moves(seconds: float) -> list[float]:
    """How far each part goes in so many seconds, as the servos tell it: rad, and m for up and down."""
    seen = [joints()]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
        seen.append(joints())
    return [max(v) - min(v) for v in zip(*seen)]


def moved(most: list[float]) -> list[str]:
    """Names the parts that have moved by more than 3° or 2 mm."""
    return [name for name, way in zip(JOINTS, most) if way > (0.002 if name == "head up and down" else 0.05)]


def expect_moves() -> str:
    end, parts = time.monotonic() + PATIENCE, []
    while not parts and time.monotonic() < end:
        parts = moved(moves(5))
    if not parts:
        raise Wrong("the robot does not move")
    return "moves " + ", ".join(parts)


def pomodoro(page: str) -> str:
    until("its interface, which comes after its page", lambda: ask(page + "/api/status"))
    ask(page + "/api/tasks", {"title": "read"})
    ask(page + "/api/timer/start", {})
    how = expect_moves()
    if json.loads(ask(page + "/api/status"))["timer"]["state"] != "focus":
        raise Wrong("its timer does not run")
    return how + "; its timer runs, with a task from its page"


def conversation(page: str) -> str:
    if "<html" not in ask(page + "/").lower():
        raise Wrong("its page is none")
    return expect_moves() + "; shows its page; to talk it needs its makers' service on the Internet, which is not asked"


def breathing(page: str) -> str:
    if "<html" not in ask(page + "/").lower():
        raise Wrong("its page is none")
    return expect_moves() + "; shows its page, which asks for the key of a paid service to talk with"


def remix(page: str) -> str:
    api = page + "/gradio_api/call/"
    ask(api + "lambda", {"data": []})  # the first of its moves: nod
    ask(api + "on_play_click", {"data": []})
    return expect_moves() + " when its page plays a move of the official library"


def reactor(page: str) -> str:
    if "<html" not in ask(page + "/").lower():
        raise Wrong("its page is none")
    return "shows its page; to dance it listens to a sound card of this machine by PortAudio, which is not tried"


@dataclass
class App:
    name: str
    source: tuple[str, ...]  # repository, commit and folder on GitHub, or what pip understands
    port: int  # of its page
    use: Callable[[str], str]
    args: tuple[str, ...] = ()


APPS = [
    App(
        "reachy_mini_conversation_app",
        ("pollen-robotics/reachy_mini_conversation_app", "1ca57484e890d6b26b3d1e19c5fd661f142d7483", "."),
        7860,
        conversation,
    ),
    App("reachy_mini_pomodoro", ("AdonaiVera/reachy_mini_pomodoro", "6cbb5ed48739e6e6366b3e9e672a77b69cb88027", "."), 8042, pomodoro),
    App("reachy-mini-remix", ("chelleboyer/reachy-remix-deploy", "afdc3b80201875e1a4a3722e06e9d36e9e7b4e21", "."), 7860, remix),
    App("dj_reachy_remix", ("dj-reachy-remix==0.2.0",), 7860, breathing, ("--gradio",)),  # which it wants in a simulation
    App("dj_reactor", ("BioInfo/reachy", "d199098ebaecef52525cc33b55127611e6df7236", "apps/dj-reactor"), 7861, reactor),
]


def fetch(app: App) -> str:
    if len(app.source) == 1:
        return app.source[0]
    repository, commit, folder = app.source
    os.makedirs(SOURCES, exist_ok=True)
    script = os.path.join(CROSS, "github-tree.sh")
    done = subprocess.run([script, os.path.join(SOURCES, app.name), repository, commit, folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(done.stderr.strip().splitlines()[-1])
    return done.stdout.strip()


def start(app: App) -> str:
    page = f"http://127.0.0.1:{app.port}"
    ctl("app", "start", app.name, *(("--", *app.args) if app.args else ()))

    def answers() -> bool:
        if running() is None:
            raise Wrong("it ends by itself: " + last_words(app.name))
        return bool(ask(page + "/"))

    until(f"its page at port {app.port}", answers)
    return page


def check(app: App) -> str:
    ctl("app", "install", fetch(app))
    page = start(app)
    now = json.loads(ask(ROBOT + "/api/apps/current-app-status"))
    if now["info"]["name"] != app.name or now["state"] != "running":
        raise Wrong(f"the official interface says that {now} runs")
    how = app.use(page)

    ctl("stop")  # while it runs
    until("its end by the emergency stop", lambda: running() is None)
    if "the emergency stop is latched" not in ctl("app", "log", app.name):
        raise Wrong("its log does not tell of the emergency stop")
    if still := moved(moves(1)):
        raise Wrong("after the emergency stop there moves " + ", ".join(still))
    ctl("reset")

    start(app)
    ask(ROBOT + "/api/apps/stop-current-app", {})
    until("its end", lambda: running() is None)
    try:
        ask(page + "/")
    except OSError:
        pass
    else:
        raise Wrong(f"after its end there is somebody at port {app.port}")
    ctl("app", "remove", app.name)
    return how


def main() -> int:
    failed = 0
    for app in APPS:
        if ONLY and app.name not in ONLY:
            continue
        try:
            result = "pass: " + check(app)
        except Missing as why:
            result = str(why)
        except (Wrong, OSError, subprocess.TimeoutExpired) as why:
            failed, result = 1, f"FAIL: {why}"
            ctl("app", "stop", may_fail=True)
            ctl("reset", may_fail=True)
        print(f"{app.name:29s} {result}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
