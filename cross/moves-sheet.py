"""Plays our own moves in the simulation; cross/moves-sheet.sh calls it.

usage: moves-sheet.py URL SIMULATION REACHYCTL DIRECTORY [MOVE...]
"""

import http.client
import json
import pathlib
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import cv2
import numpy as np

URL, SIM, CTL = sys.argv[1:4]
OUT, WANTED = pathlib.Path(sys.argv[4]), sys.argv[5:]
SHOTS, SIZE, ROWS = 6, (240, 180), 12  # pictures a move, their size, moves a sheet
SLOW = 0.35
PATIENCE = 60  # s


def ask(path, body=None):
    request = urllib.request.Request(URL + path, data=body, method="GET" if body is None else "POST")
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def rest():
    """Wait until nothing moves any more."""
    end = time.monotonic() + PATIENCE
    while ask("/api/move/running"):
        if time.monotonic() > end:
            sys.exit("a move does not end")
        time.sleep(0.02)


class Joints(threading.Thread):
    """What the joints do, from the simulation itself."""

    def __init__(self):
        super().__init__(daemon=True)
        self.over, self.seen = threading.Event(), []
        self.conn = http.client.HTTPConnection("sim", timeout=PATIENCE)
        self.conn.sock = socket.socket(socket.AF_UNIX)
        self.conn.sock.connect(SIM)

    def run(self):
        while not self.over.is_set():
            self.conn.request("GET", "/state")
            s = json.loads(self.conn.getresponse().read())
            if not self.seen or s["time"] != self.seen[-1][0]:
                self.seen.append((s["time"], s["joints"]))
            time.sleep(0.004)

    def figures(self):
        """How long it took, the fastest joint, rad/s, and the root of the mean square of the head's jerk, rad/s³."""
        self.over.set()
        self.join()
        at = np.array([t for t, _ in self.seen])
        joints = np.array([j for _, j in self.seen])
        grid = np.arange(at[0], at[-1], 0.02)
        even = np.stack([np.interp(grid, at, joints[:, j]) for j in range(joints.shape[1])], axis=1)
        speed = np.abs(np.diff(even, axis=0)).max() / 0.02
        jerk = np.diff(even[:, :7], 3, axis=0) / 0.02**3
        return at[-1] - at[0], speed, float(np.sqrt(np.mean(jerk**2)))


def picture():
    path = OUT / "shot.jpg"
    subprocess.run([CTL, "sim", "picture", path], check=True, capture_output=True, timeout=PATIENCE)
    return cv2.resize(cv2.imread(str(path)), SIZE, interpolation=cv2.INTER_AREA)


def play(name):
    """Play a move once as it is, for its figures, and once slowly, for pictures."""
    joints, path = Joints(), f"/api/move/play/recorded-move-dataset/reachyd/moves/{name}"
    joints.start()
    ask(path, b"")
    rest()
    took, speed, jerk = joints.figures()
    print(f"{name:20} {took:5.1f} s   {speed:5.2f} rad/s   {jerk:6.0f} rad/s³", flush=True)
    ask(f"{path}?speed={SLOW}", b"")
    shots = []
    while ask("/api/move/running"):
        shots.append(picture())
    rest()
    row = np.hstack([shots[int(k)] for k in np.linspace(0, len(shots) - 1, SHOTS).round()])
    cv2.putText(row, name, (8, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (0, 0, 160), 2, cv2.LINE_AA)
    return row


ask("/api/move/play/wake_up", b"")
rest()
rows = [play(name) for name in WANTED or ask("/api/move/recorded-move-datasets/list/reachyd/moves")]
for n in range(0, len(rows), ROWS):
    path = OUT / f"moves-{n // ROWS + 1}.jpg"
    cv2.imwrite(str(path), np.vstack(rows[n : n + ROWS]), [cv2.IMWRITE_JPEG_QUALITY, 85])
    print(path)
(OUT / "shot.jpg").unlink(missing_ok=True)
