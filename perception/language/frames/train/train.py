"""Learns to read sentences as frames: train.py TOKENS VECTORS OUT --sentences FOLDER… [--made FILE TOKENS] [--hold WRITER…]

The folders have the sentences of the writers ("sentence => frames"), TOKENS the same lines as the reader sees them (main.go tokens),
--made what a language model wrote (teach.py) and its tokens, VECTORS is the folder of words.txt and vectors.f16 (words.py, main.go
vectors, press.py). With --hold these writers' sentences are left out and read afterwards, which says how well sentences of strangers are
read, and how sure the network may be; without, OUT is written.
"""

import argparse
import collections
import gzip
import json
import math
import pathlib
import random
import time

import numpy as np
import torch
from torch import nn

import data

WIDTH, HIDDEN, STATE, SAID = 64, 128, 192, 48
PAD, UNKNOWN, START, END = 0, 1, 0, 1
LONGEST = 60
VARIANTS = 2


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
        self.said = nn.Embedding(len(symbols), SAID)
        self.cell = nn.GRUCell(SAID + 2 * HIDDEN, STATE)
        self.query = nn.Linear(STATE, 2 * HIDDEN, bias=False)
        self.out = nn.Linear(STATE + 2 * HIDDEN, len(symbols))
        self.drop = nn.Dropout(0.3)

    def encode(self, ids, lengths):
        mask = ids != PAD
        x = self.drop(self.turn(self.known[ids]) + self.own(ids))
        for layer in (self.first, self.second):
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            y, last = layer(packed)
            y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=ids.shape[1])
            x = self.drop(y)
        return x, mask, torch.tanh(self.begin(torch.cat([last[0], last[1]], 1)))

    def attend(self, state, memory, mask):
        scores = (memory @ self.query(state)[:, :, None])[:, :, 0]
        share = scores.masked_fill(~mask, -1e9).softmax(1)
        return (share[:, None] @ memory)[:, 0]

    def step(self, symbol, state, memory, mask):
        state = self.cell(torch.cat([self.said(symbol), self.attend(state, memory, mask)], 1), state)
        return torch.cat([state, self.attend(state, memory, mask)], 1), state

    def loss(self, ids, lengths, want, weight, smooth):
        memory, mask, state = self.encode(ids, lengths)
        symbol, joined = torch.zeros(len(ids), dtype=torch.long, device=ids.device), []
        for k in range(want.shape[1]):
            both, state = self.step(symbol, state, memory, mask)
            joined.append(both)
            symbol = want[:, k].clamp(min=0)
        logits = self.out(self.drop(torch.stack(joined, 1)))
        each = nn.functional.cross_entropy(logits.flatten(0, 1), want.flatten(), ignore_index=-1, reduction="none", label_smoothing=smooth)
        return (each.view(want.shape) * weight[:, None]).sum() / (want >= 0).sum()

    @torch.no_grad()
    def read(self, ids, lengths, heat=1.0):
        memory, mask, state = self.encode(ids, lengths)
        n, dev = len(ids), ids.device
        symbol, done = torch.zeros(n, dtype=torch.long, device=dev), torch.zeros(n, dtype=torch.bool, device=dev)
        sure, outs = torch.zeros(n, device=dev), []
        for _ in range(data.MAX_OUT):
            both, state = self.step(symbol, state, memory, mask)
            logits = self.out(both) / heat
            logits[:, START] = -1e9
            best, symbol = logits.log_softmax(1).max(1)
            sure += torch.where(done, torch.zeros_like(sure), best)
            outs.append(symbol)
            done |= symbol == END
            if done.all():
                break
        outs = torch.stack(outs, 1).tolist()
        return [[self.symbols[s] for s in (o[: o.index(END)] if END in o else o)] for o in outs], sure.exp().tolist()


MIRROR = {"left": "right", "right": "left", "clockwise": "anticlockwise", "anticlockwise": "clockwise", "counterclockwise": "clockwise",
          "port": "starboard", "starboard": "port", "left-antenna": "right-antenna", "right-antenna": "left-antenna",
          "@left": "@right", "@right": "@left", "@left-antenna": "@right-antenna", "@right-antenna": "@left-antenna"}
FILLERS = ["um", "so", "well", "please", "now", "okay", "just", "then", "like", "robot", "reachy"]
MARKS = {",", ".", "!", ";", ":", "-"}


def varied(words, before, symbols, rng):
    """The same sentence, as it could have been said."""
    words, symbols, before = list(words), list(symbols), list(before)
    if rng.random() < 0.5 and not ("right" in words and ("all" in words or "now" in words)):
        if any(s in MIRROR for s in symbols):
            words, before, symbols = ([MIRROR.get(w, w) for w in x] for x in (words, before, symbols))
    if rng.random() < 0.2:
        words = [w for w in words if w not in MARKS] or words
    if rng.random() < 0.2:
        words.insert(rng.choice([0, len(words)]), rng.choice(FILLERS))
    if rng.random() < 0.3:
        before = []
    return before + words, symbols


Case = collections.namedtuple("Case", "writer text words before symbols weight")


def cases(rows, tokens, weight=1.0):
    out, lost = [], 0
    with open(tokens) as f:
        for row, line in zip(rows, f, strict=True):
            t = json.loads(line)
            words, symbols = t["words"] or [], data.target(row.frames, t["numbers"] or [])
            if symbols is None or not words or len(words) > LONGEST or len(symbols) > data.MAX_OUT - 1:
                lost += 1
                continue
            out.append(Case(row.writer, row.text, words, data.context(row.before), symbols, weight))
    say(len(out), "sentences,", lost, "left out")
    return out


def made(file):
    with gzip.open(file, "rt") as f:
        for line in f:
            before, text, frames, _, _ = line.rstrip("\n").split("\t")
            yield data.Row("made", 0, text, frames, before)


def say(*words):
    print(*words, flush=True)


class Batches:
    """All cases as numbers, in variants, on the device."""

    def __init__(self, all_, index, place, device, rng, train):
        variants = VARIANTS if train else 1
        ids = np.zeros((variants, len(all_), LONGEST + 6), np.int32)
        want = np.full((variants, len(all_), data.MAX_OUT), -1, np.int16)
        for v in range(variants):
            for i, c in enumerate(all_):
                words, symbols = varied(c.words, c.before, c.symbols, rng) if train else (c.before + c.words, c.symbols)
                words = words[: LONGEST + 6]
                ids[v, i, : len(words)] = [index.get(w, UNKNOWN) for w in words]
                want[v, i, : len(symbols) + 1] = [place.get(s, -1) for s in symbols] + [END]
        self.lengths = torch.tensor((ids != PAD).sum(2))
        self.outs = torch.tensor((want >= 0).sum(2))
        self.ids, self.want = torch.tensor(ids).to(device), torch.tensor(want).to(device)
        self.weight = torch.tensor([c.weight for c in all_], device=device)
        self.count, self.device = len(all_), device

    def round(self, size, rng):
        """The places of a round's batches: of like length, the real ones as often as their weight says."""
        order = rng.permutation(self.count)
        order = np.concatenate([p[np.lexsort((self.lengths[0][p].numpy(), self.outs[0][p].numpy()))] for p in np.array_split(order, max(1, self.count // (size * 16)))])
        starts = np.arange(0, self.count - size + 1, size)
        rng.shuffle(starts)
        for k in starts:
            yield order[k : k + size]

    def get(self, rows, variant):
        lengths = self.lengths[variant][rows]
        ids = self.ids[variant][rows][:, : int(lengths.max())].long()
        want = self.want[variant][rows][:, : int(self.outs[variant][rows].max())].long()
        return ids, lengths, want, self.weight[rows]


def judged(model, held, batches, heat):
    """What is read of each case that was held out, and how sure the network is of it."""
    model.eval()
    out = []
    for k in range(0, len(held), 512):
        rows = np.arange(k, min(k + 512, len(held)))
        ids, lengths, _, _ = batches.get(rows, 0)
        for i, o, s in zip(rows, *model.read(ids, lengths, heat)):
            out.append((s, o == held[i].symbols, held[i], o))
    return out


def fitted(model, held, batches):
    """The temperature at which the network is as sure as it is right."""
    best = (math.inf, 1.0)
    for heat in (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5):
        loss = -sum(math.log(max(1e-6, s if ok else 1 - s)) for s, ok, _, _ in judged(model, held, batches, heat)) / max(1, len(held))
        best = min(best, (loss, heat))
    return best[1]


def main():
    a = argparse.ArgumentParser()
    for name in ("tokens", "vectors", "out"):
        a.add_argument(name)
    a.add_argument("--sentences", nargs="+", required=True)
    a.add_argument("--made", nargs=2)
    a.add_argument("--hold", nargs="*", default=[])
    a.add_argument("--rounds", type=float, default=20, help="of the writers' sentences, or of those that were made")
    a.add_argument("--seconds", type=float, default=1e9)
    a.add_argument("--size", type=int, default=0)
    a.add_argument("--often", type=int, default=3, help="how often a writer's sentence stands beside those that were made")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--few", type=int, default=0)
    args = a.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    rows = cases(data.lines(args.sentences), args.tokens)
    held = [r for r in rows if r.writer in args.hold]
    rows = [r for r in rows if r.writer not in args.hold]
    written = cases(list(made(args.made[0])), args.made[1]) if args.made else []
    if args.few:
        rows, held, written = rows[:: max(1, len(rows) // args.few)], held[:: max(1, len(held) // 50)], written[: args.few]

    base = pathlib.Path(args.vectors)
    names = (base / "words.txt").read_text().split("\n")[:-1]
    v = np.fromfile(base / "vectors.f16", np.float16).astype("f4").reshape(len(names), -1)
    count = collections.Counter(w for r in rows for w in r.words)
    often = collections.Counter(w for r in written for w in r.words)
    frequent = set((base / "frequent.txt").read_text().split())
    words = {w for w in names if w in frequent or count[w] or often[w] >= 4} | {w for w, n in count.items() if n >= 2}
    words = ["<pad>", "<unknown>"] + sorted(words | {w for r in rows + written for w in r.before})
    index = {w: i for i, w in enumerate(words)}
    vectors = np.zeros((len(words), WIDTH), np.float32)
    for w, x in zip(names, v):
        if w in index:
            vectors[index[w]] = x
    counts = collections.Counter(s for r in rows for s in r.symbols)
    symbols = ["<start>", "<end>"] + sorted(s for s, n in counts.items() if n >= 3)
    place = {s: i for i, s in enumerate(symbols)}
    rows, written = ([r for r in x if all(s in place for s in r.symbols)] for x in (rows, written))
    model = Reader(words, vectors, symbols).to(device)
    weights = sum(p.numel() for p in model.parameters() if p.requires_grad) - model.own.weight.numel()
    say(len(rows), "sentences of writers,", len(written), "made,", len(held), "held out;", len(words), "words,", len(symbols), "symbols,", weights, "weights on", device)

    size = args.size or (512 if written and device == "cuda" else 64)
    begun = time.time()
    train = Batches(rows * (args.often if written else 1) + written, index, place, device, rng, True)
    tests = {name: [r for r in held if r.writer == name] for name in args.hold}
    tests = {name: (t, Batches(t, index, place, device, rng, False), Batches([r._replace(before=[]) for r in t], index, place, device, rng, False)) for name, t in tests.items()}
    steps = int(args.rounds * (train.count // size))
    say(f"{train.count} cases, {steps} steps of {size}, ready after {time.time() - begun:.0f} s")
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1.0, weight_decay=0.01)
    begun, step, done, order, told = time.time(), 0, 0.0, np.random.default_rng(args.seed), 0.33
    while done < 1:
        for batch in train.round(size, order):
            done = max(step / steps, (time.time() - begun) / args.seconds)
            if done >= 1:
                break
            for g in optimizer.param_groups:
                g["lr"] = 3e-3 * min(1.0, done / 0.08 + 0.02) * (0.01 + 0.99 * (0.5 + 0.5 * math.cos(math.pi * done)))
            model.train()
            ids, lengths, want, weight = train.get(batch, rng.randrange(VARIANTS))
            ids = torch.where((torch.rand(ids.shape, device=device) < 0.04) & (ids > UNKNOWN), UNKNOWN, ids)
            loss = model.loss(ids, lengths, want, weight, 0.05)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if done >= told or step == steps:
                told += 0.33
                right = {name: sum(ok for _, ok, _, _ in judged(model, t, b, 1.0)) for name, (t, b, _) in tests.items()}
                say(f"step {step}, {done:.0%}, loss {loss.item():.3f}, {time.time() - begun:.0f} s", right)
    heats = []
    for name, (t, b, alone) in tests.items():
        heat = fitted(model, t, b)
        heats.append(heat)
        got = sorted(judged(model, t, b, heat), key=lambda x: -x[0])
        by = sum(ok for _, ok, _, _ in judged(model, t, alone, heat))
        right = sum(x[1] for x in got)
        say(f"{name}: {right} of {len(t)} = {right / len(t):.1%} with what was before, {by / len(t):.1%} by itself; temperature {heat}")
        for share in (0.3, 0.5, 0.7, 0.8, 0.9):
            part = got[: max(1, int(share * len(got)))]
            say(f"    surest {share:.0%} (from {part[-1][0]:.2f}): {sum(p[1] for p in part) / len(part):.1%}")
        for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01)):
            part = [p for p in got if low <= p[0] < high]
            if part:
                say(f"    sure {low}–{high}: {len(part)}, right {sum(p[1] for p in part) / len(part):.1%}")
        for s, ok, r, o in got[:: max(1, len(got) // 200)]:
            if not ok:
                say(f"      {s:.2f} {' '.join(r.before)} | {r.text} | {' '.join(r.symbols)} | {' '.join(o)}")
    if heats:
        say("temperature", sum(heats) / len(heats))
    torch.save({"state": {k: v.half().cpu() for k, v in model.state_dict().items()}, "words": words, "symbols": symbols}, args.out)


if __name__ == "__main__":
    main()
