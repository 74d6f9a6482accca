"""Writes gymnasium.json: steps of the classic environments as gymnasium itself takes them. Usage: generate.py > gymnasium.json"""
import json
import random

import gymnasium

random.seed(7)
out = {"gymnasium": gymnasium.__version__, "episodes": []}
starts = {
    "CartPole-v1": [[0.01, -0.02, 0.03, 0.04], [-0.04, 0.03, -0.01, -0.05]],
    "Pendulum-v1": [[3.0, 0.5], [-1.2, -0.9], [9.5, 7.5]],
    "Acrobot-v1": [[0.05, -0.08, 0.1, -0.02], [2.0, -1.5, 3.0, -6.0]],
}
for name, states in starts.items():
    for start in states:
        e = gymnasium.make(name).unwrapped
        e.reset(seed=1)
        import numpy as np
        e.state = np.array(start, dtype=np.float64)
        steps = []
        for _ in range(80):
            if name == "Pendulum-v1":
                a = round(random.uniform(-2.5, 2.5), 3)
                obs, r, term, _, _ = e.step(np.array([a], dtype=np.float32))
            else:
                a = random.randrange(e.action_space.n)
                obs, r, term, _, _ = e.step(a)
            steps.append({"a": a, "o": [round(float(x), 7) for x in obs], "r": round(float(r), 7), "t": bool(term)})
            if term:
                break
        out["episodes"].append({"id": name, "start": start, "steps": steps})
print(json.dumps(out, separators=(",", ":")))
