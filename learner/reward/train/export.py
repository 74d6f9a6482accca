"""Checkpoints → the files that package reward embeds: export.py NETWORK LAYER FOLDER. Numbers get eight bits and a size for each row."""

import json
import pathlib
import struct
import sys

import numpy as np
import torch


def write(path, words, tables):
    head, data = [], []
    for name, m in tables:
        m = np.asarray(m, "f4")
        m = m.reshape(len(m), -1)
        size = np.maximum(np.abs(m).max(1), 1e-9) / 127
        head.append(dict(name=name, rows=m.shape[0], cols=m.shape[1]))
        data.append(size.astype("<f4").tobytes() + np.clip(np.round(m / size[:, None]), -127, 127).astype("i1").tobytes())
    known = "".join(w + "\n" for w in words).encode()
    text = json.dumps(dict(words=len(known), tables=head), separators=(",", ":")).encode()
    with open(path, "wb") as f:
        f.write(b"reward 2\n" + struct.pack("<I", len(text)) + text + known + b"".join(data))


def main():
    network, layer, out = sys.argv[1:]
    out = pathlib.Path(out)
    c = torch.load(network, map_location="cpu")
    s = {k: v.float().numpy() for k, v in c["state"].items()}
    tables = [("words", s["words.weight"][1:]), ("pieces", s["pieces.weight"]), ("roles", s["roles"]), ("level", s["level.weight"])]
    for i in range(3):
        near = s[f"near.{i}.weight"]  # out, in, place
        tables += [(f"near{i}", near.transpose(0, 2, 1).reshape(len(near), -1)), (f"near{i}.bias", s[f"near.{i}.bias"])]
        tables += [(f"inner{i}", s[f"inner.{i}.weight"]), (f"inner{i}.bias", s[f"inner.{i}.bias"])]
    for name in ("gate", "say"):
        tables += [(name, s[name + ".weight"]), (name + ".bias", s[name + ".bias"])]
    write(out / "network.bin", c["words"], tables)
    s = {k: v.float().numpy() for k, v in torch.load(layer, map_location="cpu").items()}
    tables = []
    for i in range(6):
        for k in range(6):
            tables += [(f"{i}.{k}.in", s[f"layers.{i}.{k}.a"]), (f"{i}.{k}.out", s[f"layers.{i}.{k}.b"])]
    write(out / "layer.bin", [], tables + [("head", s["head.weight"]), ("head.bias", s["head.bias"])])


main()
