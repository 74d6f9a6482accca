"""Checkpoint → the file that package frames embeds: export.py CHECKPOINT FILE TEMPERATURE.

At that temperature the network is as sure as it is right; train.py finds it with --hold.
"""

import struct
import sys

import numpy as np
import torch


def main():
    checkpoint, out, heat = sys.argv[1], sys.argv[2], float(sys.argv[3])
    c = torch.load(checkpoint, map_location="cpu", weights_only=False)
    state = {k: v.float().numpy() for k, v in c["state"].items()}
    parts = [b"frames 1\n"]

    def names(words):
        text = "".join(w + "\n" for w in words).encode()
        parts.append(struct.pack("<I", len(text)) + text)

    def matrix(m, bias=None):
        size = np.maximum(np.abs(m).max(1), 1e-8) / 127
        parts.append(struct.pack("<II", *m.shape) + size.astype("<f4").tobytes())
        parts.append(np.clip(np.round(m / size[:, None]), -127, 127).astype(np.int8).tobytes())
        if bias is not None:
            parts.append(bias.astype("<f4").tobytes())

    def gru(name, suffix=""):
        matrix(state[f"{name}.weight_ih{suffix}"], state[f"{name}.bias_ih{suffix}"])
        matrix(state[f"{name}.weight_hh{suffix}"], state[f"{name}.bias_hh{suffix}"])

    names(c["words"])
    names(c["symbols"])
    matrix(state["known"] @ state["turn.weight"].T + state["own.weight"])
    for layer in ("first", "second"):
        gru(layer, "_l0")
        gru(layer, "_l0_reverse")
    matrix(state["begin.weight"], state["begin.bias"])
    matrix(state["said.weight"])
    gru("cell")
    matrix(state["query.weight"])
    matrix(state["out.weight"] / heat, state["out.bias"] / heat)
    with open(out, "wb") as f:
        f.write(b"".join(parts))


main()
