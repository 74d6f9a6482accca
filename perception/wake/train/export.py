"""Writes the file that reachyd reads: export.py NET.pt OUT.bin.gz [EXAMPLE.json]

EXAMPLE gets what the stored network hears in a second of made-up sound, for a test of the other implementation."""

import gzip
import io
import json
import sys

import numpy as np
import torch

import calls
import speak
import spotter
from judge import load

# The least mean likelihood of a phrase's sounds, of one that is spelled by espeak-ng, and of a single sound, against what they sound most like.
# 0.45 was chosen on the validation voices; for the robot's own name 0.65, by the false ones in an hour of the judges' speech.
THRESHOLD, OWN, WORST = 0.65, 0.45, 0.01


def rows(w):
    """int8 rows and their scales; the weights are changed to what is stored."""
    a = w.detach().reshape(len(w), -1).numpy()
    scale = np.maximum(np.abs(a).max(1) / 127, 1e-12).astype("<f4")
    q = np.clip(np.rint(a / scale[:, None]), -127, 127).astype(np.int8)
    w.copy_(torch.from_numpy(q * scale[:, None]).reshape(w.shape))
    return q.tobytes(), scale.tobytes()


@torch.no_grad()
def main():
    net = load(sys.argv[1], "cpu")
    head = dict(format=1, width=net.width, hidden=net.hidden, symbols=spotter.SYMBOLS, blocks=spotter.BLOCKS,
                phrases={p.replace("reechy", "reachy"): [spotter.SYMBOLS[k] for k in spotter.numbers(speak.sounds(p))] for p in calls.PHRASES}, threshold=THRESHOLD, own=OWN, worst=WORST)
    f = io.BytesIO()

    def put(*arrays):
        for a in arrays:
            f.write(a if isinstance(a, bytes) else a.detach().numpy().astype("<f4").tobytes())

    f.write(json.dumps(head, ensure_ascii=False).encode() + b"\n")
    put(net.mean, net.scale, *rows(net.first.weight), net.first.bias)
    for b in net.blocks:
        g = b.norm.weight / (b.norm.running_var + b.norm.eps).sqrt()
        put(b.depth.weight[:, 0] * g[:, None], b.norm.bias - b.norm.running_mean * g)
        for d in (b.up, b.down):
            put(*rows(d.weight), d.bias)
    put(*rows(net.out.weight), net.out.bias)
    with open(sys.argv[2], "wb") as out, gzip.GzipFile(fileobj=out, mode="wb", mtime=0, filename="") as z:
        z.write(f.getvalue())
    if len(sys.argv) > 3:
        n = 16000
        t = np.arange(n) / 16000
        pcm = (0.2 * np.sin(2 * np.pi * (200 + 300 * t) * t) + 0.05 * np.sin(2 * np.pi * 2500 * t) * (t > 0.4)).astype(np.float32)
        y = net(spotter.features(torch.from_numpy(pcm)[None], spotter.filters()))[0].numpy()
        json.dump(dict(note="0.2 sin(2π(200+300t)t) + 0.05 sin(5000πt) after 0.4 s; the log probabilities of some positions",
                       positions={str(k): [round(float(v), 4) for v in y[k]] for k in (0, 7, 15, len(y) - 1)}), open(sys.argv[3], "w"))
    print(sys.argv[2], round(len(f.getvalue()) / 1e3), "kB", len(open(sys.argv[2], "rb").read()) // 1000, "kB compressed")


if __name__ == "__main__":
    main()
