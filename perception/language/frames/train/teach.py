"""Has a language model read and write sentences for the small network: teach.py MODEL… --sentences FOLDER… --out FILE

The model is trained further on the writers' sentences, in both directions: what a sentence asks for, after what was done before; and a
sentence that asks for it, in the manner of two others. Then it writes sentences for requests that are put together anew, reads them
without knowing what it was to write, and keeps those of which it is sure. --hold leaves writers out, and says how well theirs are read.
"""

import argparse
import collections
import gzip
import json
import math
import random
import re
import sys
import time

import torch

import data
from smollm import open_model

MOST_READ, MOST_WRITTEN = 40, 48  # tokens
SURE = 0.8  # of a reading that is not what was to be written


def reading(before, text):
    return f"Before: {before or '-'}\nSaid: {text}\nAsks:"


def writing(before, frames, like):
    return "".join(f"Like: {s}\n" for s in like) + f"Before: {before or '-'}\nAsks: {frames}\nSaid:"


MIRROR = {"left": "right", "right": "left", "left-antenna": "right-antenna", "right-antenna": "left-antenna"}
WAYS = {"head": "left right up down up down left right center", "tilt": "left right left right center", "body": "left right left right center",
        "turn": "left right left right same", "antennas": "up down same up down center", "left-antenna": "up down same center",
        "right-antenna": "up down same center", "it": "left right up down center same"}
NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 18, 20, 25, 30, 35, 40, 45, 50, 60, 70, 75, 80, 90] + [5, 10, 15, 20, 25, 30, 40, 45] * 3


class Requests:
    """Puts requests together: those of the writers with other numbers, sides and parts, two or three of them, and movements anew."""

    def __init__(self, rows, rng):
        self.rows, self.rng = rows, rng
        count = collections.Counter(r.frames for r in rows)
        # What everybody says often needs few more; talk has no frames and so its own share.
        self.weights = [count[r.frames] ** -0.5 * (3 if r.frames == "talk" else 1) for r in rows]
        self.acts = [r.before for r in rows]
        self.single = [r.frames for r in rows if ";" not in r.frames and r.frames.split()[0] in ("move", "gesture", "emotion", "again", "more", "reset")]

    def some(self, n):
        return [self.one(r) for r in self.rng.choices(self.rows, self.weights, k=n)]

    def move(self):
        rng = self.rng
        part = rng.choice(["head"] * 4 + ["tilt"] * 2 + ["body"] * 2 + ["turn"] * 2 + ["antennas", "left-antenna", "right-antenna", "it", "it"])
        way = rng.choice(WAYS[part].split())
        frame = ["move", part, way]
        if way != "center":
            kind = rng.random()
            if kind < 0.45 or way == "same" and kind < 0.9:
                frame += ["to"] * (way == "same" and rng.random() < 0.7 or rng.random() < 0.2) + [str(rng.choice(NUMBERS))]
            elif kind < 0.75:
                frame.append(rng.choice(["little", "little", "little", "far", "max", "max"]))
        if rng.random() < 0.1:
            frame.append(rng.choice(["slow", "slow", "fast"]))
        return " ".join(frame)

    def one(self, row):
        rng, before, frames = self.rng, row.before, row.frames
        kind = rng.random()
        if kind < 0.2:
            frames, before = self.move(), rng.choice(self.acts)
            if rng.random() < 0.12:
                frames = "instead " + frames
        elif kind < 0.3:
            parts = [rng.choice(self.single) if rng.random() < 0.4 else self.move() for _ in range(rng.choice([2, 2, 2, 3]))]
            frames, before = " ; ".join(parts), rng.choice(self.acts)
        else:
            frames = " ".join(self.varied(s) for s in frames.split())
            if kind > 0.9:
                before = rng.choice(self.acts)
        if rng.random() < 0.02 and "move" in frames and "keep" not in frames:
            frames += " ; keep " + rng.choice(["head", "body", "antennas"])
        if rng.random() < 0.5:
            frames, before = (" ".join(MIRROR.get(s, s) for s in x.split()) for x in (frames, before))
        return before, frames

    def varied(self, symbol):
        v = data.number(symbol)
        if v is None or self.rng.random() < 0.3:
            return symbol
        if v <= 4:
            return symbol if self.rng.random() < 0.5 else str(self.rng.randint(1, 5))
        return ("-" if v < 0 else "") + str(self.rng.choice(NUMBERS[4:]) if v <= 100 else int(v))


class Manners:
    """Two sentences for the manner of a third: of the same person, or of people who have written of other things."""

    def __init__(self, rows, foreign, rng):
        self.rng = rng
        self.near = collections.defaultdict(list)
        for r in rows:
            self.near[r.writer, r.place // 4].append(r.text)
        self.keys, self.foreign = list(self.near), foreign

    def of(self, row):
        others = [t for t in self.near[row.writer, row.place // 4] if t != row.text]
        n = self.rng.choice([0, 1, 2, 2])
        return self.rng.sample(others, min(n, len(others)))

    def any(self):
        kind = self.rng.random()
        if kind < 0.1:
            return []
        if kind < 0.4 and self.foreign:
            return self.rng.sample(self.rng.choice(self.foreign), 2)
        if kind < 0.6:  # of two people
            return [self.rng.choice(self.near[k]) for k in self.rng.sample(self.keys, 2)]
        part = self.near[self.rng.choice(self.keys)]
        return self.rng.sample(part, min(2, len(part)))


def foreign(files):
    """Sentences of others, a list of neighbours each."""
    out = []
    for file in files:
        said = [json.loads(s)["text"] if s[0] == "{" else s.split(" => ")[0].strip() for s in open(file) if s[0] != "#"]
        said = [s for s in said if 8 < len(s) < 140]
        out += [said[k : k + 12] for k in range(0, len(said) - 12, 12)]
    return out


class Teacher:
    def __init__(self, pieces, device, layers):
        self.model, self.tokenizer = open_model(pieces)
        self.model.layers = self.model.layers[: layers or None]
        self.model.to(device)
        self.share = 1 << 20
        self.device, self.end = device, self.tokenizer.token_to_id("<|im_end|>")

    def ids(self, text):
        return self.tokenizer.encode(text).ids

    def precise(self):
        return torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda")

    def train(self, rows, manners, rng, seconds, rounds, size):
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=1.0, betas=(0.9, 0.98), weight_decay=0.02, fused=self.device == "cuda")
        begun, step, done = time.time(), 0, 0.0
        pairs = [(r, way) for r in rows for way in (0, 1)]
        steps = rounds * len(pairs) / size
        cached = {}
        while done < 1:
            rng.shuffle(pairs)
            batches = []
            for k in range(0, len(pairs) - size + 1, size * 16):  # of like length
                part = []
                for r, way in pairs[k : k + size * 16]:
                    if way == 0:
                        before = r.before if rng.random() < 0.7 else ""
                        key = (before, r.text)
                        if key not in cached:
                            cached[key] = self.ids(reading(before, r.text)), self.ids(" " + r.frames) + [self.end]
                        part.append(cached[key])
                    else:
                        before = r.before if rng.random() < 0.8 else ""
                        part.append((self.ids(writing(before, r.frames, manners.of(r))), self.ids(" " + r.text) + [self.end]))
                part.sort(key=lambda p: len(p[0]) + len(p[1]))
                batches += [part[i : i + size] for i in range(0, len(part) - size + 1, size)]
            rng.shuffle(batches)
            for batch in batches:
                done = max((time.time() - begun) / seconds, step / steps)
                if done >= 1:
                    break
                for g in optimizer.param_groups:
                    g["lr"] = 4e-4 * min(1, done * 20 + 0.02) * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * done)))
                width = max(len(p) + len(o) for p, o in batch)
                ids = torch.tensor([p + o + [0] * (width - len(p) - len(o)) for p, o in batch])
                want = torch.tensor([[0] * (len(p) - 1) + [1] * len(o) + [0] * (width - len(p) - len(o) + 1) for p, o in batch]).bool()
                ids, want = ids.to(self.device), want.to(self.device)
                with self.precise():
                    states = self.model(ids, None)
                    scores = self.model.score(states[:, :-1][want[:, :-1]])
                loss = torch.nn.functional.cross_entropy(scores.float(), ids[:, 1:][want[:, :-1]])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                optimizer.step()
                step += 1
                if step % 100 == 0:
                    say(f"teacher: step {step} of {steps:.0f}, loss {loss.item():.3f}, {time.time() - begun:.0f} s")
        say(f"teacher: {step} steps, {step * size / len(pairs):.1f} rounds, {time.time() - begun:.0f} s")

    def ready(self):
        """What has been learned is written with in half the bits, where that is quicker."""
        if self.device == "cuda":
            self.model = self.model.bfloat16()

    def fitting(self, part):
        """A part in as many pieces as fit into memory."""
        while part:
            n = max(8, self.share)
            yield part[:n]
            part = part[n:]

    def write(self, prompts, most, size, hot=0.0, least=0.0, until=None):
        """The text behind each prompt and its likelihood; None for what was not reached in time or does not end."""
        out = [None] * len(prompts)
        ids = [e.ids for e in self.tokenizer.encode_batch(prompts)]
        order = sorted(range(len(prompts)), key=lambda i: len(ids[i]))
        starts = list(range(0, len(order), size))
        random.Random(1).shuffle(starts)
        for k in starts:
            if until and time.time() > until:
                break
            for part in self.fitting(order[k : k + size]):
                try:
                    texts, logs, ended = self.model.write([ids[i] for i in part], most, self.end, hot, least)
                except torch.OutOfMemoryError:  # others use the GPU as well: from now on fewer at a time
                    self.share = len(part) // 2
                    torch.cuda.empty_cache()
                    say(f"teacher: no memory for {len(part)} at a time")
                    continue
                for i, t, log, e in zip(part, self.tokenizer.decode_batch(texts), logs, ended):
                    out[i] = (t.strip(), math.exp(log)) if e else None
        return out


def say(*words):
    print(*words, flush=True)


def judge(teacher, held, size):
    for name in sorted({r.writer for r in held}):
        rows = [r for r in held if r.writer == name]
        rows = rows[:: max(1, len(rows) // 1000)]
        for what, prompts in (("with what was before", [reading(r.before, r.text) for r in rows]), ("by itself", [reading("", r.text) for r in rows])):
            got = teacher.write(prompts, MOST_READ, size)
            right = sorted(((g[1] if g else 0, bool(g) and g[0] == r.frames) for r, g in zip(rows, got)), reverse=True)
            half = right[: len(right) // 2]
            say(f"teacher: {name} {what}: {sum(r for _, r in right)} of {len(rows)} = {sum(r for _, r in right) / len(rows):.1%}, surest half {sum(r for _, r in half) / max(1, len(half)):.1%}")
            if what == "by itself":
                continue
            for r, g in [(r, g) for r, g in zip(rows, got) if not g or g[0] != r.frames][:40]:
                say(f"    {r.before or '-'} | {r.text} | {r.frames} | {g and g[0]} {g and g[1]:.2f}" if g else f"    {r.text} | {r.frames} | -")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model", nargs="+")
    a.add_argument("--sentences", nargs="+", required=True)
    a.add_argument("--foreign", nargs="*", default=[])
    a.add_argument("--out", required=True)
    a.add_argument("--hold", nargs="*", default=[])
    a.add_argument("--seconds", type=float, default=240)
    a.add_argument("--rounds", type=float, default=4)
    a.add_argument("--size", type=int, default=128)
    a.add_argument("--written", type=int, default=4096, help="sentences at a time")
    a.add_argument("--most", type=int, default=300000)
    a.add_argument("--few", type=int, default=0, help="of the writers' sentences, for a trial")
    a.add_argument("--layers", type=int, default=0, help="of the model, for a trial")
    args = a.parse_args()
    begun = time.time()
    rng = random.Random(7)
    torch.manual_seed(7)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows = data.lines(args.sentences)
    held = [r for r in rows if r.writer in args.hold]
    rows = [r for r in rows if r.writer not in args.hold]
    if args.few:
        rows, held = rows[:: len(rows) // args.few], held[:: max(1, len(held) // 20)]
    teacher = Teacher(args.model, device, args.layers)
    say(f"teacher: {len(rows)} sentences to learn from, {len(held)} held out, on {device}, ready after {time.time() - begun:.0f} s")
    manners = Manners(rows, foreign(args.foreign), rng)
    teacher.train(rows, manners, rng, args.seconds * 0.4, args.rounds, args.size)
    teacher.ready()
    judge(teacher, held, args.written)

    requests = Requests(rows, rng)
    left = begun + args.seconds - time.time()
    until, kept, seen, made, passed = time.time() + left, 0, {r.text.lower() for r in rows}, 0, collections.Counter()
    with gzip.open(args.out, "wt") as out:
        while time.time() < until and made < args.most:
            wanted = requests.some(args.written)
            prompts = [writing(b, f, manners.any()) for b, f in wanted]
            said = teacher.write(prompts, MOST_WRITTEN, args.written, 1.0, 0.03)
            made += len(prompts)
            fresh = []
            for (before, frames), got in zip(wanted, said):
                text = got and re.sub(r"\s+", " ", got[0])
                if text and len(text) > 1 and text.lower() not in seen and "=>" not in text:
                    seen.add(text.lower())
                    fresh.append((before, frames, text))
            read = teacher.write([reading(b, t) for b, _, t in fresh], MOST_READ, args.written)
            for (before, frames, text), got in zip(fresh, read):
                if not got:
                    continue
                alike = got[0] == frames
                passed["as it was to be" if alike else "sure of another" if got[1] >= SURE else "dropped"] += 1
                if alike or got[1] >= SURE:
                    print(before, text, got[0], f"{got[1]:.2f}", int(alike), sep="\t", file=out)
                    kept += 1
            say(f"teacher: {made} written, {kept} kept, {time.time() - begun:.0f} s", dict(passed))
    say(f"teacher: {kept} sentences, {time.time() - begun:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
