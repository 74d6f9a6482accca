"""Checkpoint → the changes as reachyd reads them: export.py BASE CHECKPOINT OUT.bin.gz [STRENGTH]

STRENGTH is how much of the change is kept. Less than all of it is better for voices that were not trained on.

Little-endian, gzipped: "RTUN", u32 version, u32 count; per matrix u16 length and name of the tensor, u32 out, u32 in, u32 rank, then
rank rows of A (f32 scale, int8 x in) and rank columns of B (f32 scale, int8 x out): W'[o][i] = W[o][i] + sum over r of B[o][r]·A[r][i].
"""

import gzip
import struct
import sys

import numpy as np
import torch

import net

STRENGTH = 0.75


def row(v):
    scale = np.float32(np.abs(v).max() / 127)
    return struct.pack("<f", scale) + np.clip(np.rint(v / (scale or 1)), -127, 127).astype(np.int8).tobytes()


def balanced(a, b):
    """The same product, turned so that A's rows are orthogonal: int8 loses less where each row has its own size."""
    u, s, v = np.linalg.svd(b.astype(np.float64) @ a, full_matrices=False)
    rank = len(a)
    return v[:rank] * np.sqrt(s[:rank, None]), u[:, :rank] * np.sqrt(s[:rank])


def pack(linear, strength=1.0):
    parts = [b"RTUN", struct.pack("<II", 1, len(linear))]
    for name, m in linear.items():
        a, b = balanced(m.a.detach().numpy(), strength * m.b.detach().numpy())
        parts.append(struct.pack("<H", len(name)) + name.encode() + struct.pack("<III", b.shape[0], a.shape[1], len(a)))
        parts += [row(r) for r in a] + [row(c) for c in b.T]
    return gzip.compress(b"".join(parts), 9, mtime=0)


def main():
    base, checkpoint, out = sys.argv[1:4]
    strength = float(sys.argv[4]) if len(sys.argv) > 4 else STRENGTH
    m = net.Whisper(net.File(base))
    c = torch.load(checkpoint, map_location="cpu")
    m.load_state_dict(c["model"])
    packed = pack(m.linear, strength)
    with open(out, "wb") as f:
        f.write(packed)
    print(f"{out}: {len(packed) / 1e6:.2f} MB, {len(m.linear)} matrices at {strength} of their strength,",
          f"{c['step']} steps, {c['used'] / 60:.0f} minutes of training")


if __name__ == "__main__":
    main()
