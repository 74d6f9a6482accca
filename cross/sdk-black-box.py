"""Runs black-box tests of the official repository, unmodified, against reachyd. usage: sdk-black-box.py BIN TESTS

A test that starts the official daemon starts reachyd in its place, on a simulated robot: what it makes of the web server and the daemon
is replaced by the process. The SDK that it then uses is the official one. Prints a table: pass, or the reason.
"""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from types import SimpleNamespace

import pytest

BIN, TESTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PATIENCE = 60  # s
FILES = ("test_daemon.py", "test_audio.py")
LEFT_OUT = {  # why a test is none of reachyd
    "webrtc": "needs a real GStreamer with webrtcsrc, for which reachyd-media does not stand in: make sdk-webrtc does the same with it",
    "test_sdk_warns_on_daemon_version_mismatch": "sets a variable of the official daemon's own program; reachyd says that it has no version of that",
    "test_cors_origin_regex": "tests a pattern inside the official daemon",
    "test_play_sound_reaches_sink": "replaces GStreamer's sink, for which reachyd-media stands in",
    "test_doa_simulated": "tests the SDK against a simulated USB device; no daemon takes part",
    "test_doa": "needs the robot's sound board on USB",
    "test_get_respeaker_card_number": "tests the SDK's list of sound cards; no daemon takes part",
}


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Robot:
    """A reachyd with a simulated robot, as the tests start and stop the official daemon."""

    def __init__(self, name: str, port: int = 0, media: bool = False) -> None:
        self.dir = tempfile.mkdtemp(prefix="bb")
        self.name, self.port, self.media = name, port or free_port(), media
        self.process: subprocess.Popen[bytes] | None = None
        self.should_exit, self.started = False, False
        self.servers = [SimpleNamespace(sockets=[SimpleNamespace(getsockname=lambda: ("127.0.0.1", self.port))])]

    def run(self) -> None:
        env = dict(
            os.environ, XDG_RUNTIME_DIR=self.dir, REACHYD_DATA_DIR=self.dir + "/data", REACHYD_MQTT_LISTEN="127.0.0.1:0", REACHYD_IDLE="off",
            REACHYD_HTTP_LISTEN=f"127.0.0.1:{self.port}", REACHYD_SENSE_RUN="auto" if self.media else "never",
            REACHYD_SENSE_MICROPHONE=self.dir + "/tone.wav", REACHYD_SENSE_SPEAKER=self.dir + "/heard.wav",
        )  # fmt: skip
        if self.name != "reachy_mini":
            env["REACHYD_ROBOT_ID"] = self.name
        if self.media:
            subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "sdk-examples.py"), "tone", self.dir + "/tone.wav"], check=True)
        with open(self.dir + "/log", "wb") as log:
            self.process = subprocess.Popen([os.path.join(BIN, "reachyd"), "run", "--sim"], env=env, stdout=log, stderr=log)
        self.wait("is ready")
        if self.media:
            self.wait('"worker":"sense","status":"running"')
        self.started = True
        while not self.should_exit and self.process.poll() is None:
            time.sleep(0.05)
        self.end()

    def wait(self, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process is not None and self.process.poll() is None:
            with open(self.dir + "/log", encoding="utf-8", errors="replace") as log:
                if text in log.read():
                    return
            time.sleep(0.05)
        raise RuntimeError(f"reachyd does not say {text!r}: see {self.dir}/log")

    def end(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)

    async def stop(self, **_: object) -> None:
        await asyncio.to_thread(self.end)


class Table:
    """A plugin of pytest that puts reachyd in the place of the official daemon and prints a line a test."""

    def __init__(self) -> None:
        self.failed = 0

    def pytest_configure(self) -> None:
        import reachy_mini.daemon.app.main as main
        import uvicorn

        main.create_app = lambda args: SimpleNamespace(state=SimpleNamespace(daemon=Robot(args.robot_name)))
        uvicorn.Config = lambda app, **_: app
        uvicorn.Server = lambda app: app.state.daemon

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in list(items):
            why = next((why for part, why in LEFT_OUT.items() if part in item.name.lower()), None)
            if why is not None:
                print(f"{item.name:56} not run: {why}")
                items.remove(item)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.rpartition("::")[2]
        if report.failed:
            self.failed += 1
            text = str(report.longrepr.reprcrash.message if hasattr(report.longrepr, "reprcrash") else report.longrepr)
            print(f"{name:56} FAIL: {text.splitlines()[0]}")
        elif report.skipped:
            print(f"{name:56} not run: {report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr}")
        elif report.when == "call":
            print(f"{name:56} pass")


robot = Robot("reachy_mini", 8000, media=True)  # for the tests that expect a daemon where the SDK looks for one
runner = threading.Thread(target=robot.run, daemon=True)
runner.start()
end = time.monotonic() + 2 * PATIENCE
while not robot.started and runner.is_alive() and time.monotonic() < end:
    time.sleep(0.05)
table = Table()
try:
    if not robot.started:
        sys.exit(f"sdk-black-box: reachyd does not start on port 8000: see {robot.dir}/log")
    files = [os.path.join(TESTS, name) for name in FILES]
    code = pytest.main(["-o", "asyncio_mode=auto", "-W", "ignore", "-p", "no:terminal", "-p", "no:cacheprovider", *files], [table])
finally:
    robot.should_exit = True
    runner.join(2 * PATIENCE)
sys.exit(1 if table.failed or code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) else 0)
