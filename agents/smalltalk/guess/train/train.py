"""Learns the kinds of small talk: train.py REPOSITORY TOKENIZER OUT [--hold WRITER…]

Learns from guess/sentences/*.tsv ("kind<TAB>sentence"), from the templates and examples of the persona (ways.py), and from what the
writers of perception/language/frames say to others ("other") and ask for as movements ("move"). With --hold these writers are left
out and read afterwards: how many are right, and what is answered at which threshold. OUT is written in any case.
"""

import argparse
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import zlib

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import ways

DIM, HIDDEN, BUCKETS, LONGEST, GRAMS = 64, 96, 4096, 24, 14
BATCH, RATE, SMOOTH = 128, 4e-3, 0.1
WAYS, STRANGERS = 16, 1500
NOTHING = ("other", "move")
MOVES = set(
    "move more less half third quarter double back other-way again same undo undo-all reset instead slower faster speed hold gesture look-at"
    " follow keep dont stop release sleep wake find emotion".split()
)


def strangers(root, rng):
    """What the writers of the frames say to others, and what they ask for as movements."""
    sys.path.insert(0, str(root / "perception/language/frames/train"))
    import data

    talk, move = [], []
    for row in data.lines([root / "perception/language/frames/sentences", root / "perception/language/frames/sentences/unlearned"]):
        names = [f.split()[0] for f in row.frames.split(";") if f.strip()]
        if names == ["talk"]:
            talk.append(row.text)
        elif names and all(n in MOVES for n in names):
            move.append(row.text)
    rng.shuffle(talk)
    rng.shuffle(move)
    return [("other", t) for t in talk[:STRANGERS]] + [("move", t) for t in move[:STRANGERS]]


def vectors(file):
    """The words of the frames' network and their vectors."""
    d = file.read_bytes()
    at = len(b"frames 1\n")
    parts = []
    for _ in range(2):
        (n,) = struct.unpack_from("<I", d, at)
        parts.append(d[at + 4 : at + 4 + n].decode().split("\n")[:-1])
        at += 4 + n
    rows, cols = struct.unpack_from("<II", d, at)
    steps = np.frombuffer(d, "<f4", rows, at + 8)
    table = np.frombuffer(d, np.int8, rows * cols, at + 8 + 4 * rows).reshape(rows, cols)
    return parts[0], (table * steps[:, None]).astype(np.float32)


def grams(word):
    s = "<" + word + ">"
    pieces = [s] + [s[i : i + n] for n in (3, 4) for i in range(len(s) - n + 1)]
    return [1 + zlib.crc32(p.encode()) % BUCKETS for p in pieces[:GRAMS]]


class Net(nn.Module):
    def __init__(self, known, kinds):
        super().__init__()
        self.known = nn.Parameter(torch.tensor(known), requires_grad=False)
        self.turn = nn.Linear(known.shape[1], DIM, bias=False)
        self.gram = nn.Embedding(BUCKETS + 1, DIM, padding_idx=0)
        nn.init.normal_(self.gram.weight, std=0.05)
        self.gram.weight.data[0] = 0
        self.conv = nn.Conv1d(DIM, HIDDEN, 3, padding=1)
        self.one = nn.Linear(DIM, HIDDEN)
        self.share = nn.Linear(HIDDEN, 1)
        self.out = nn.Linear(3 * HIDDEN, kinds)
        self.drop = nn.Dropout(0.35)

    def forward(self, ids, pieces):
        n = int((ids > 0).sum(1).max())
        ids, pieces = ids[:, :n], pieces[:, :n]
        mask = ids > 0
        count = (pieces > 0).sum(2, keepdim=True).clamp(min=1)
        spelt = self.gram(pieces).sum(2) / count.sqrt()
        if self.training:  # words that it does not know, and words that it did not hear
            lost = torch.rand(ids.shape) < 0.1
            ids = torch.where(lost & mask, torch.ones_like(ids), ids)
            heard = ~lost | (torch.rand(ids.shape) > 0.5)
            x = (self.turn(self.known[ids]) + spelt) * heard[:, :, None]
        else:
            x = self.turn(self.known[ids]) + spelt
        x = self.drop(x * mask[:, :, None])
        three = torch.relu(self.conv(x.transpose(1, 2)).transpose(1, 2)).masked_fill(~mask[:, :, None], 0)
        one = torch.relu(self.one(x)).masked_fill(~mask[:, :, None], 0)
        share = self.share(three)[:, :, 0].masked_fill(~mask, -1e9).softmax(1)
        return self.out(self.drop(torch.cat([three.max(1)[0], (three * share[:, :, None]).sum(1), one.max(1)[0]], 1)))


def report(name, shares, kinds, wanted):
    sure, best = shares.max(1)
    right = torch.tensor([kinds[b] == w for b, w in zip(best.tolist(), wanted)])
    nothing = torch.tensor([w in NOTHING for w in wanted])
    print(f"{name}: {right.float().mean():.1%} of {len(wanted)} right; {right[~nothing].float().mean():.1%} of what has a kind", flush=True)
    answers = torch.tensor([kinds[b] not in NOTHING for b in best.tolist()])
    for low in (0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8):
        part = answers & (sure >= low)
        print(f"    from {low}: answers {(part & ~nothing).sum() / (~nothing).sum():.1%} of what has a kind, {right[part].float().mean():.1%} of the answers right", flush=True)


def export(net, kinds, known, out):
    state = {k: v.float().numpy() for k, v in net.state_dict().items()}
    parts = [b"guess 1\n", "".join(k + "\n" for k in kinds).encode() + b"\n", struct.pack("<I", zlib.crc32(known))]

    def matrix(m, bias=None):
        step = np.maximum(np.abs(m).max(1), 1e-8) / 127
        parts.append(step.astype("<f4").tobytes())
        parts.append(np.clip(np.round(m / step[:, None]), -127, 127).astype(np.int8).tobytes())
        parts.append((np.zeros(len(m)) if bias is None else bias).astype("<f4").tobytes())

    matrix(state["turn.weight"])
    matrix(state["conv.weight"].transpose(0, 2, 1).reshape(HIDDEN, 3 * DIM), state["conv.bias"])
    matrix(state["one.weight"], state["one.bias"])
    matrix(state["share.weight"], state["share.bias"])
    matrix(state["out.weight"], state["out.bias"])
    step = np.abs(state["gram.weight"]).max() / 127
    parts.append(struct.pack("<f", step))
    parts.append(np.round(state["gram.weight"][1:] / step).astype(np.int8).tobytes())
    with open(out, "wb") as f:
        f.write(b"".join(parts))


def main():
    a = argparse.ArgumentParser()
    for name in ("root", "tokenizer", "out"):
        a.add_argument(name)
    a.add_argument("--hold", nargs="*", default=[])
    a.add_argument("--rounds", type=int, default=18)
    args = a.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    rng, root = random.Random(1), pathlib.Path(args.root)
    frames = root / "perception/language/frames/frames.bin"
    names, known = vectors(frames)
    index = {w: i for i, w in enumerate(names)}

    def encoded(rows):
        said = subprocess.run([args.tokenizer], input="".join(t + "\n" for _, t in rows), text=True, capture_output=True, check=True).stdout
        ids, pieces = np.zeros((len(rows), LONGEST), np.int64), np.zeros((len(rows), LONGEST, GRAMS), np.int64)
        for i, line in enumerate(said.splitlines()):
            for j, w in enumerate(json.loads(line) or ["<unknown>"]):
                ids[i, j] = index.get(w, 1)
                g = grams(w)
                pieces[i, j, : len(g)] = g
        return torch.tensor(ids), torch.tensor(pieces)

    rows, held = [], {}
    for file in sorted((root / "agents/smalltalk/guess/sentences").glob("*.tsv")):
        lines = [tuple(line.split("\t", 1)) for line in file.read_text().splitlines()]
        if file.stem in args.hold:
            held[file.stem] = lines
        else:
            rows += lines
    weights = [1.0] * len(rows)
    rows += ways.drawn(root / "agents/smalltalk/en", WAYS) + strangers(root, rng)
    weights = torch.tensor(weights + [0.5] * (len(rows) - len(weights)))
    kinds = sorted({k for k, _ in rows})
    place = {k: i for i, k in enumerate(kinds)}
    ids, pieces = encoded(rows)
    want = torch.tensor([place[k] for k, _ in rows])
    net = Net(known, len(kinds))
    print(f"{len(rows)} sentences, {len(kinds)} kinds", flush=True)
    optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=RATE, weight_decay=0.01)
    steps, step = args.rounds * (len(rows) // BATCH), 0
    for _ in range(args.rounds):
        order = torch.randperm(len(rows))
        for k in range(0, len(rows) - BATCH + 1, BATCH):
            part, done = order[k : k + BATCH], step / steps
            for g in optimizer.param_groups:
                g["lr"] = RATE * min(1, done / 0.05 + 0.02) * (0.5 + 0.5 * math.cos(math.pi * done))
            loss = (functional.cross_entropy(net(ids[part], pieces[part]), want[part], reduction="none", label_smoothing=SMOOTH) * weights[part]).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            step += 1
    net.eval()
    export(net, kinds, frames.read_bytes(), args.out)
    with torch.no_grad():
        for name, lines in held.items():
            i, p = encoded(lines)
            shares = torch.cat([net(i[k : k + 256], p[k : k + 256]) for k in range(0, len(i), 256)]).softmax(1)
            report(name, shares, kinds, [k for k, _ in lines])


main()
