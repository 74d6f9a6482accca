"""Makes moves that stand in for the official libraries, which come from elsewhere; they lie where Hugging Face's programs keep such.

usage: stand-in-moves.py HF_HOME NAME...   moves of these names, in the library of emotions and in that of dances
"""

import json
import math
import os
import sys


def frame(t: float) -> dict:
    roll = 0.3 * math.sin(math.pi * t)
    s, c = math.sin(roll), math.cos(roll)
    head = [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]
    return {"head": head, "antennas": [s, -s], "body_yaw": 0.0, "check_collision": False}


home, names = sys.argv[1], sys.argv[2:]
times = [i * 0.02 for i in range(100)]
move = {"description": "sways", "time": times, "set_target_data": [frame(t) for t in times]}
for library in ("emotions", "dances"):
    repo = os.path.join(home, "hub", f"datasets--pollen-robotics--reachy-mini-{library}-library")
    snapshot = os.path.join(repo, "snapshots", "0" * 40)
    os.makedirs(os.path.join(repo, "refs"))
    os.makedirs(snapshot)
    with open(os.path.join(repo, "refs", "main"), "w", encoding="ascii") as f:
        f.write("0" * 40)
    for name in names:
        with open(os.path.join(snapshot, name + ".json"), "w", encoding="ascii") as f:
            json.dump(move, f)
