"""Changes → the file that reachyd reads: export.py BASE OUT.bin.gz CHANGES[=STRENGTH]…

CHANGES is a checkpoint of tune.py or an earlier file. STRENGTH (0.75) is how much of it is kept: less than all of it is better for voices
that were not trained on. Of several the sum is taken, of no more than net.RANKS.

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


def balanced(change, rank):
    """A and B, turned so that A's rows are orthogonal: int8 loses less where each row has its own size."""
    u, s, v = np.linalg.svd(change, full_matrices=False)
    return v[:rank] * np.sqrt(s[:rank, None]), u[:, :rank] * np.sqrt(s[:rank])


def pack(changes):
    parts = [b"RTUN", struct.pack("<II", 1, len(changes))]
    for name, change in changes.items():
        a, b = balanced(change, net.RANKS[name.split(".")[0]])
        parts.append(struct.pack("<H", len(name)) + name.encode() + struct.pack("<III", b.shape[0], a.shape[1], len(a)))
        parts += [row(r) for r in a] + [row(c) for c in b.T]
    return gzip.compress(b"".join(parts), 9, mtime=0)


def unpack(path):
    """An earlier file: name → B·A."""
    data, at, out = gzip.open(path).read(), 12, {}

    def rows(count, n):
        nonlocal at
        kind = np.dtype([("scale", "<f4"), ("steps", np.int8, (n,))])
        found = np.frombuffer(data, kind, count, at)
        at += count * kind.itemsize
        return found["scale"][:, None].astype(np.float64) * found["steps"]

    for _ in range(struct.unpack("<I", data[8:12])[0]):
        length = struct.unpack("<H", data[at:at + 2])[0]
        name = data[at + 2:at + 2 + length].decode()
        outs, ins, rank = struct.unpack("<III", data[at + 2 + length:at + 14 + length])
        at += 14 + length
        a, b = rows(rank, ins), rows(rank, outs)
        out[name] = b.T @ a
    return out


def load(m, path):
    """Begins with an earlier file."""
    for name, change in unpack(path).items():
        linear = m.linear[name]
        for mine, theirs in zip((linear.a, linear.b), balanced(change, len(linear.a))):
            mine.data.copy_(torch.from_numpy(theirs))


def read(base, path):
    if path.endswith(".gz"):
        return unpack(path)
    m = net.Whisper(base)
    c = torch.load(path, map_location="cpu")
    m.load_state_dict({k: v.float() for k, v in c["model"].items()})
    return {name: (linear.b.detach().double() @ linear.a.detach().double()).numpy() for name, linear in m.linear.items()}


def main():
    base, out, parts = net.File(sys.argv[1]), sys.argv[2], [p.partition("=") for p in sys.argv[3:]]
    total = {}
    for path, _, strength in parts:
        for name, change in read(base, path).items():
            total[name] = total.get(name, 0) + float(strength or STRENGTH) * change
    packed = pack(total)
    with open(out, "wb") as f:
        f.write(packed)
    print(f"{out}: {len(packed) / 1e6:.2f} MB, {len(total)} matrices, of", ", ".join(f"{path} {strength or STRENGTH}" for path, _, strength in parts))


if __name__ == "__main__":
    main()
