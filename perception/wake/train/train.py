"""Trains the network for a given time: train.py --data DIR --out DIR --minutes 6. DIR has train/*.npz and validation/*.npz of speak.py."""

import argparse
import itertools
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

import calls  # finds the tuning's modules
import clips
import spotter

RATE = spotter.RATE
SHARE = {"kokoro": 0.5, "espeak": 0.3, "flite slt": 0.08, "flite rms": 0.08, "festival ked_diphone": 0.04, "festival cmu_us_slt_arctic_hts": 0.04}
LONGEST = 8 * RATE


class Store:
    """The recordings of a folder on the device, and batches of them as the robot's microphone may have them."""

    def __init__(self, folder, seed, device, kinds=("call", "near", "open")):
        self.folder, self.device, self.kinds = folder, device, kinds
        self.rng, self.sound = np.random.default_rng(seed), clips.Sound(seed, device)
        self.files, self.engines, self.sounds, self.texts, self.names = [], {}, [], [], []
        self.starts, self.lengths, self.loud, self.end = [], [], [], 1
        self.bank = spotter.filters().to(device)
        self.reload()

    def reload(self):
        new = []
        for pcm, text, sounds, kind in clips.spoken(self.folder, self.files):
            kind, engine = kind.split(" ", 1)
            if kind not in self.kinds or not 1600 < len(pcm) < LONGEST - RATE:
                continue
            self.engines.setdefault(engine, {}).setdefault(kind, []).append(len(self.starts))
            self.starts.append(self.end)
            self.lengths.append(len(pcm))
            self.loud.append(pcm[::7].astype(np.float32).std() / 32768 + 1e-4)
            self.sounds.append(spotter.numbers(sounds))
            self.texts.append(text)
            self.names.append(engine)
            self.end += len(pcm)
            new.append(pcm)
        self.sound.take(new)
        self.size = np.array(self.lengths)
        self.others = (torch.tensor(self.starts, device=self.device), torch.tensor(self.lengths, device=self.device),
                       torch.tensor(self.loud, dtype=torch.float32, device=self.device))

    def draw(self, n):
        names = sorted(self.engines)
        p = np.array([SHARE.get(k, 0.05) * min(1, sum(map(len, self.engines[k].values())) / 300) for k in names])
        out = []
        for k in self.rng.choice(len(names), n, p=p / p.sum()):
            kinds = self.engines[names[k]]
            found = kinds.get(self.rng.choice(["call", "near", "open"], p=[0.36, 0.14, 0.5])) or next(iter(kinds.values()))
            out.append(found[self.rng.integers(len(found))])
        return np.array(out)

    def lay(self, rows, speed, before, pauses, after):
        total, places = before.copy(), []
        for k in range(max(map(len, rows))):
            have = np.array([k < len(r) for r in rows])
            clip = np.array([r[k] if k < len(r) else 0 for r in rows])
            if k:
                total = total + have * pauses[:, k]
            places.append((have, clip, total.copy()))
            total = total + have * self.size[clip] / speed
        self.places = places, speed
        end, length = total, total + after
        n = min(LONGEST, -(-int(length.max()) // 4800) * 4800)
        there = lambda a: torch.tensor(a, dtype=torch.float32, device=self.device)
        x = torch.zeros(len(rows), n, device=self.device)
        for have, clip, offset in places:
            at = torch.tensor(np.flatnonzero(have), device=self.device)
            i = torch.tensor(clip[have], device=self.device)
            x = x.index_add(0, at, self.sound.gather(self.others[0][i], self.others[1][i].float(), there(speed[have]), there(offset[have]), n))
        return x, there(before), there(np.minimum(end, n)), there(np.minimum(length, n))

    def pack(self, x, length, rows, cover):
        mel = spotter.features(x, self.bank)
        if cover:
            mel = self.sound.cover(mel, (length / spotter.HOP).long().clamp(max=mel.shape[2]))
        target = [[s for i in r for s in self.sounds[i]] for r in rows]
        longest = max(1, max(map(len, target)))
        return dict(mel=mel, target=torch.tensor([t + [0] * (longest - len(t)) for t in target], device=self.device),
                    targets=torch.tensor([len(t) for t in target], device=self.device))

    def even(self, rows, positions):
        """The sounds laid out evenly over where the speech is (trimmed to 50 ms before and 75 ms after it): a first guess of which is heard when."""
        out = np.zeros((len(rows), positions), dtype=np.int64)
        places, speed = self.places
        for k, (have, _, offset) in enumerate(places):
            for i in np.flatnonzero(have):
                sounds, f = self.sounds[rows[i][k]] if k < len(rows[i]) else [], speed[i]
                a, b = (offset[i] + 800 / f) / 480, (offset[i] + (self.size[rows[i][k]] - 1200) / f) / 480 if sounds else 0
                for p in range(int(a), min(int(b), positions) if sounds else 0):
                    out[i, p] = sounds[min(len(sounds) - 1, int((p - a) / (b - a) * len(sounds)))]
        return torch.from_numpy(out).to(self.device)

    def batch(self, rows, silent, even=False):
        n = len(rows)
        speed = np.where(self.rng.random(n) < 0.7, np.exp(self.rng.uniform(-0.17, 0.17, n)), 1.0)
        before, after = self.rng.uniform(0.05, 0.8, n) * RATE, self.rng.uniform(0.3, 0.8, n) * RATE
        x, start, end, length = self.lay(rows, speed, before, self.rng.uniform(0.05, 0.6, (n, 4)) * RATE, after)
        y = self.sound.hear(x, start, end, length, self.others, torch.tensor(silent, device=self.device))
        y = y * 10 ** (self.sound.uniform(-25, 0, n, 1) / 20)
        heard = [[] if s else r for r, s in zip(rows, silent)]
        b = self.pack(y, length, heard, True)
        if even:
            b["even"] = self.even(heard, spotter.positions(x.shape[1]))
        return b

    def batches(self, size, even=False):
        rows = []
        for _ in range(4 * size):
            row, length = [], 0
            for i in self.draw(self.rng.choice([1, 1, 1, 2, 3])):
                length += self.size[i] * 1.19 + 0.6 * RATE
                if row and length > LONGEST - 1.6 * RATE:
                    break
                row.append(i)
            rows.append(row)
        rows.sort(key=lambda r: sum(self.size[i] for i in r))
        for k in self.rng.permutation(4):
            part = rows[k * size:(k + 1) * size]
            yield self.batch(part, self.rng.random(len(part)) < 0.04, even)

    def held(self, size, heard, only=None):
        order = [i for i in np.argsort(self.size) if only is None or only(i)]
        for k in range(0, len(order), size):
            rows = [[i] for i in order[k:k + size]]
            n = len(rows)
            x, start, end, length = self.lay(rows, np.ones(n), np.full(n, 4800.0), np.zeros((n, 1)), np.full(n, 8000.0))
            if heard:
                x = self.sound.hear(x, start, end, length, self.others)
            yield rows, x, self.pack(x, length, rows, False)


def loss(net, b, drop):
    logp = net(b["mel"], drop)
    lengths = torch.full((len(logp),), logp.shape[1], device=logp.device)
    # CTC alone takes long to notice that there is something to hear: an even layout of the sounds shows it the way.
    first = F.nll_loss(logp.flatten(0, 1), b["even"].flatten()) if "even" in b else 0
    return first + F.ctc_loss(logp.transpose(0, 1), b["target"], lengths, b["targets"], reduction="none", zero_infinity=True).sum() / b["targets"].sum().clamp(min=1)


def again(batches, pool, reuse):
    """Each batch, and reuse - 1 of the last ones between two."""
    for b in batches:
        yield b
        for _ in range(reuse - 1 if pool else 0):
            yield pool[np.random.randint(len(pool))]
        pool.append(b)
        del pool[:-200 if reuse > 1 else None]


def statistics(net, store):
    mel = torch.cat([b["mel"].transpose(1, 2).reshape(-1, spotter.BANDS) for b in store.batches(64)])
    net.mean.copy_(mel.mean(0))
    net.scale.copy_(1 / mel.std(0))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--minutes", type=float, default=6)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--rate", type=float, default=3e-3)
    p.add_argument("--width", type=int, default=128)
    p.add_argument("--hidden", type=int, default=320)
    p.add_argument("--tell", type=float, default=20, help="seconds between two reports")
    p.add_argument("--reuse", type=int, default=1, help="how often a batch is learned from: more where a processor makes them")
    p.add_argument("--start", help="a net.pt to go on from")
    a = p.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    if device == "cpu":
        clips.BABBLERS = 3  # each costs as much as all the rest
    begun = time.time()
    store, held = Store(a.data + "/train", 1, device), Store(a.data + "/validation", 2, device)
    net = spotter.Net(a.width, a.hidden).to(device)
    if a.start:
        net.load_state_dict(torch.load(a.start, map_location=device)["net"])
    else:
        statistics(net, store)
    mean = spotter.Net(a.width, a.hidden).to(device)  # of the weights
    mean.load_state_dict(net.state_dict())
    opt = torch.optim.AdamW(net.parameters(), lr=a.rate, weight_decay=0.01, betas=(0.9, 0.98))
    print(sum(x.numel() for x in net.parameters()), "parameters,", len(store.size), "recordings,", round(store.size.sum() / RATE / 3600, 2), "hours", flush=True)
    pool = []
    step, told, reloaded, sum_ = 0, time.time(), time.time(), []

    def state():
        return dict(net=mean.state_dict(), width=a.width, hidden=a.hidden, step=step, recordings=len(store.size))

    begun = time.time()
    while (done := (time.time() - begun) / (60 * a.minutes)) < 1:
        if time.time() - reloaded > 20:
            store.reload()
            reloaded = time.time()
        for b in again(store.batches(a.batch, done < 0.06 and not a.start), pool, a.reuse):
            done = min(1, (time.time() - begun) / (60 * a.minutes))
            rate = a.rate * min(1, (step + 1) / 200) * (0.5 + 0.5 * np.cos(np.pi * done)) + 1e-5
            for g in opt.param_groups:
                g["lr"] = rate
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                x = loss(net, b, 0.05)
            opt.zero_grad()
            x.backward()
            if torch.isfinite(torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)):
                opt.step()
            step += 1
            keep = min(0.998, step / (step + 10))
            with torch.no_grad():
                for m, w in zip(mean.state_dict().values(), net.state_dict().values()):
                    m.mul_(keep).add_(w, alpha=1 - keep) if m.dtype.is_floating_point else m.copy_(w)
            sum_.append(x.item())
        if time.time() - told > a.tell:
            told = time.time()
            mean.eval()
            with torch.no_grad():
                v = [np.mean([loss(mean, b, 0).item() for _, _, b in itertools.islice(held.held(200, h), 0, 12, 2)]) for h in (False, True)]
            print(f"{time.time() - begun:5.0f} s, step {step}, {len(store.size)} recordings, loss {np.mean(sum_):.3f}, held clean {v[0]:.3f}, heard {v[1]:.3f}", flush=True)
            sum_ = []
            torch.save(state(), a.out + "/net.pt.new")
            os.replace(a.out + "/net.pt.new", a.out + "/net.pt")
    torch.save(state(), a.out + "/net.pt")
    print("step", step, len(store.size), "recordings", round(store.size.sum() / RATE / 3600, 2), "hours", flush=True)


if __name__ == "__main__":
    main()
