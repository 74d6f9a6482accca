"""Learns to read sentences as frames: train.py FOLDER TOKENS VECTORS OUT [--hold WRITER]

FOLDER has the sentences of the writers ("sentence => frames"), TOKENS the same lines as the reader sees them (main.go tokens), VECTORS
is the folder of words.txt and vectors.f32 (words.py, main.go vectors). With --hold nothing is written: the writer's
sentences are left out and read afterwards, which says how well sentences of strangers are read.
"""

import argparse
import collections
import json
import pathlib
import random

import numpy as np
import torch
from torch import nn

WIDTH, HIDDEN, STATE, MAX_OUT = 64, 96, 160, 28
PAD, UNKNOWN, START, END = 0, 1, 0, 1
# Frames of which only the name is learned: what they are about is found by the rules.
SAID_ELSEWHERE = {"look-at", "find", "follow", "timer", "remind", "say", "volume", "wait", "count", "ask", "remember"}


def target(frames, numbers):
    """The symbols of frames, numbers as #1, #2 … of the sentence; None where a number is not in it."""
    out, left = [], collections.Counter()
    for symbol in frames.replace(";", " ; ").split():
        try:
            value = float(symbol)
        except ValueError:
            out.append(symbol)
            continue
        places = [i for i, n in enumerate(numbers) if abs(abs(n) - abs(value)) < 0.01]
        if not places:
            return None
        out.append("#%d" % (places[min(left[value], len(places) - 1)] + 1))
        left[value] += 1
    kept, skip = [], False
    for symbol in out:
        skip = skip and symbol != ";"
        if not skip:
            kept.append(symbol)
        skip = skip or symbol in SAID_ELSEWHERE
    return kept


class Reader(nn.Module):
    def __init__(self, words, vectors, symbols):
        super().__init__()
        self.words, self.symbols = words, symbols
        self.known = nn.Parameter(torch.tensor(vectors), requires_grad=False)
        self.turn = nn.Linear(WIDTH, WIDTH, bias=False)
        nn.init.eye_(self.turn.weight)
        self.own = nn.Embedding(len(words), WIDTH)
        nn.init.zeros_(self.own.weight)
        self.first = nn.GRU(WIDTH, HIDDEN, bidirectional=True, batch_first=True)
        self.second = nn.GRU(2 * HIDDEN, HIDDEN, bidirectional=True, batch_first=True)
        self.begin = nn.Linear(2 * HIDDEN, STATE)
        self.said = nn.Embedding(len(symbols), 48)
        self.cell = nn.GRUCell(48 + 2 * HIDDEN, STATE)
        self.query = nn.Linear(STATE, 2 * HIDDEN, bias=False)
        self.out = nn.Linear(STATE + 2 * HIDDEN, len(symbols))
        self.drop = nn.Dropout(0.3)

    def encode(self, ids):
        mask = ids != PAD
        x = self.drop(self.turn(self.known[ids]) + self.own(ids))
        lengths = mask.sum(1).cpu()
        for layer in (self.first, self.second):
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            y, last = layer(packed)
            y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=ids.shape[1])
            x = self.drop(y)
        return x, mask, torch.tanh(self.begin(torch.cat([last[0], last[1]], 1)))

    def step(self, symbol, state, memory, mask):
        scores = (memory @ self.query(state)[:, :, None])[:, :, 0]
        share = scores.masked_fill(~mask, -1e9).softmax(1)
        context = (share[:, None] @ memory)[:, 0]
        state = self.cell(torch.cat([self.said(symbol), context], 1), state)
        scores = (memory @ self.query(state)[:, :, None])[:, :, 0]
        share = scores.masked_fill(~mask, -1e9).softmax(1)
        context = (share[:, None] @ memory)[:, 0]
        return self.out(self.drop(torch.cat([state, context], 1))), state

    def loss(self, ids, want):
        memory, mask, state = self.encode(ids)
        total, symbol = 0, torch.zeros(len(ids), dtype=torch.long)
        for k in range(want.shape[1]):
            logits, state = self.step(symbol, state, memory, mask)
            total = total + nn.functional.cross_entropy(logits, want[:, k], ignore_index=-1, reduction="sum", label_smoothing=0.05)
            symbol = want[:, k].clamp(min=0)
        return total / (want >= 0).sum()

    @torch.no_grad()
    def read(self, ids):
        memory, mask, state = self.encode(ids)
        n = len(ids)
        symbol, done, sure = torch.zeros(n, dtype=torch.long), torch.zeros(n, dtype=torch.bool), torch.zeros(n)
        outs = [[] for _ in range(n)]
        for _ in range(MAX_OUT):
            logits, state = self.step(symbol, state, memory, mask)
            logits[:, START] = -1e9
            p = logits.log_softmax(1)
            best, symbol = p.max(1)
            sure += torch.where(done, torch.zeros(n), best)
            done |= symbol == END
            for i in range(n):
                if not done[i]:
                    outs[i].append(self.symbols[symbol[i]])
            if done.all():
                break
        return outs, sure.exp()


MIRROR = {"left": "right", "right": "left", "clockwise": "anticlockwise", "anticlockwise": "clockwise", "counterclockwise": "clockwise",
          "port": "starboard", "starboard": "port", "left-antenna": "right-antenna", "right-antenna": "left-antenna"}
FLIP = {"up": "down", "down": "up", "raise": "lower", "lower": "raise", "upwards": "downwards", "downwards": "upwards", "lift": "drop", "drop": "lift"}
FILLERS = ["um", "so", "well", "please", "now", "okay", "just", "then", "like", "robot", "reachy"]


def varied(words, symbols, rng):
    """The same sentence, as it could have been said."""
    words, symbols = list(words), list(symbols)
    if rng.random() < 0.5 and not ("right" in words and ("all" in words or "now" in words)):
        if any(s in ("left", "right", "left-antenna", "right-antenna") for s in symbols):
            words = [MIRROR.get(w, w) for w in words]
            symbols = [MIRROR.get(s, s) for s in symbols]
    if rng.random() < 0.15:
        marks = {",", ".", "!", ";", ":", "-"}
        words = [w for w in words if w not in marks] or words
    if rng.random() < 0.2:
        words.insert(rng.choice([0, len(words)]), rng.choice(FILLERS))
    return words, symbols


def load(folder, tokens):
    rows = []
    lines = []
    for file in sorted(pathlib.Path(folder).glob("*.txt")):
        for line in file.read_text().splitlines():
            if " => " in line and not line.startswith("#"):
                text, frames = line.rsplit(" => ", 1)
                lines.append((file.stem, text, frames.strip()))
    seen = [json.loads(s) for s in open(tokens)]
    assert len(seen) == len(lines), (len(seen), len(lines))
    lost = 0
    for (writer, text, frames), t in zip(lines, seen):
        words, symbols = t["words"] or [], target(frames, t["numbers"] or [])
        if symbols is None or not words or len(words) > 60 or len(symbols) > MAX_OUT - 1:
            lost += 1
            continue
        rows.append((writer, text, words, symbols))
    print(len(rows), "sentences,", lost, "left out")
    return rows


def main():
    a = argparse.ArgumentParser()
    for name in ("folder", "tokens", "vectors", "out"):
        a.add_argument(name)
    a.add_argument("--hold")
    a.add_argument("--rounds", type=int, default=30)
    a.add_argument("--seed", type=int, default=1)
    args = a.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    rows = load(args.folder, args.tokens)
    held = [r for r in rows if r[0].startswith(args.hold)] if args.hold else []
    rows = [r for r in rows if not args.hold or not r[0].startswith(args.hold)]
    base = pathlib.Path(args.vectors)
    names = (base / "words.txt").read_text().split("\n")[:-1]
    v = np.fromfile(base / "vectors.f32", np.float32).reshape(len(names), -1)
    v = v - v.mean(0)
    _, _, axes = np.linalg.svd(v, full_matrices=False)
    v = v @ axes[:WIDTH].T
    v /= np.abs(v).std() * 3
    count = collections.Counter(w for r in rows for w in r[2])
    words = ["<pad>", "<unknown>"] + sorted(set(names) | {w for w, n in count.items() if n >= 2})
    index = {w: i for i, w in enumerate(words)}
    vectors = np.zeros((len(words), WIDTH), np.float32)
    for w, x in zip(names, v):
        vectors[index[w]] = x
    counts = collections.Counter(s for r in rows for s in r[3])
    symbols = ["<start>", "<end>"] + sorted(s for s, n in counts.items() if n >= 3)
    place = {s: i for i, s in enumerate(symbols)}
    rows = [r for r in rows if all(s in place for s in r[3])]
    model = Reader(words, vectors, symbols)
    print(len(words), "words,", len(symbols), "symbols,", sum(p.numel() for p in model.parameters() if p.requires_grad) - model.own.weight.numel(), "weights")

    def batch(part, train):
        said = [varied(r[2], r[3], rng) if train else (r[2], r[3]) for r in part]
        width, out = max(len(w) for w, _ in said), max(len(s) for _, s in said) + 1
        ids, want = torch.zeros(len(said), width, dtype=torch.long), torch.full((len(said), out), -1)
        for i, (w, s) in enumerate(said):
            for k, word in enumerate(w):
                drop = train and rng.random() < 0.04
                ids[i, k] = UNKNOWN if drop else index.get(word, UNKNOWN)
            want[i, : len(s) + 1] = torch.tensor([place.get(x, -1) for x in s] + [END])
        return ids, want

    size, steps = 64, args.rounds * (len(rows) // 64)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps + 1, pct_start=0.1)
    for round_ in range(args.rounds):
        model.train()
        rng.shuffle(rows)
        rows = [r for k in range(0, len(rows), 1024) for r in sorted(rows[k : k + 1024], key=lambda r: (len(r[3]), len(r[2])))]
        total = 0
        starts = list(range(0, len(rows) - size + 1, size))
        rng.shuffle(starts)
        for k in starts:
            loss = model.loss(*batch(rows[k : k + size], True))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        if held and (round_ % 5 == 4 or round_ == args.rounds - 1):
            model.eval()
            right, sures = 0, []
            for k in range(0, len(held), 256):
                part = held[k : k + 256]
                outs, sure = model.read(batch(part, False)[0])
                for r, o, s in zip(part, outs, sure):
                    right += o == r[3]
                    sures.append((s.item(), o == r[3], r, o))
            print(f"round {round_ + 1}: loss {total / (len(rows) // size):.3f}, {right} of {len(held)} = {right / len(held):.1%}", flush=True)
        elif round_ % 5 == 4:
            print(f"round {round_ + 1}: loss {total / (len(rows) // size):.3f}", flush=True)
    if held:
        sures.sort(key=lambda x: -x[0])
        for share in (0.3, 0.5, 0.7, 0.8, 0.9):
            part = sures[: int(share * len(sures))]
            print(f"surest {share:.0%} (from {part[-1][0]:.2f}): {sum(p[1] for p in part) / len(part):.1%}")
        for s, ok, r, o in sures[:: max(1, len(sures) // 400)]:
            if not ok:
                print(f"  {s:.2f} {r[1]}\n       {' '.join(r[3])}\n       {' '.join(o)}")
    else:
        torch.save({"state": model.state_dict(), "words": words, "symbols": symbols}, args.out)


main()
