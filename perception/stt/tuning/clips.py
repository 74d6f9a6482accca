"""Recordings on disk → batches as the robot's microphone may have them."""

import numpy as np
import torch

import augment
import data
import evaluate
import model
import net

# An engine's share of the clips, voices taken from people first; less while it has few recordings.
SHARE = {"kokoro": 0.37, "espeak": 0.3, "flite slt": 0.09, "flite rms": 0.09, "festival ked_diphone": 0.05, "festival cmu_us_slt_arctic_hts": 0.1}
LONGEST = 3 * net.WINDOW
RATE = augment.RATE


def hear(rng, x, others, change=0.6):
    """Speech of float32 with silence around it in a room, in babble, in noise."""
    if change and rng.random() < change:
        x = augment.faster(x, np.exp(rng.uniform(-0.15, 0.15)))
    if rng.random() < 0.3:
        x = augment.equalise(rng, x)
    if rng.random() < 0.45:
        x = augment.room(rng, x) if rng.random() < 0.5 else evaluate.room(rng, x, rng.uniform(0.15, 0.7))
    loud = x.std() + 1e-6
    x = np.concatenate([np.zeros(int(rng.uniform(0.05, 0.6) * RATE)), x, np.zeros(int(rng.uniform(0.05, 0.6) * RATE))])
    if rng.random() < 0.32:
        x = x + augment.babble(rng, len(x), others) * loud * 10 ** (-rng.uniform(2, 20) / 20)
    if rng.random() < 0.43:
        n = augment.bursts(rng, len(x)) if rng.random() < 0.1 else augment.noise(rng, len(x), others)
        x = x + n * loud * 10 ** (-rng.uniform(3, 25) / 20)
    x = x + augment.white(rng, len(x)) * loud * 10 ** (-rng.uniform(35, 65) / 20)
    return (x * 10 ** (rng.uniform(-26, 0) / 20) / np.abs(x).max()).astype(np.float32)


def nothing(rng):
    """No speech: a noise that is no babble, or a quiet room."""
    n = int(rng.uniform(0.5, 5) * RATE)
    k = rng.integers(7)
    if k == 6:
        return (augment.coloured(rng, n, rng.uniform(0, 1)) * 10 ** (-rng.uniform(50, 80) / 20)).astype(np.float32)
    x = augment.coloured(rng, n, rng.uniform(0.3, 1)) if k == 5 else (augment.white, augment.hum, augment.servo, augment.music, augment.bursts)[k](rng, n)
    return (x * 10 ** (rng.uniform(-40, 0) / 20) / (np.abs(x).max() + 1e-6)).astype(np.float32)


def pack(clips, texts, filters, tokens, rng=None):
    """Clips of float32 and what they say ("": no speech) → mel and tokens; windows are multiples of 5.12 s. rng hides stripes of it."""
    window = min(LONGEST, -(-max(map(len, clips)) // (320 * net.WINDOW)) * net.WINDOW)
    pcm = np.zeros((len(clips), window * 320), dtype=np.float32)
    for row, c in zip(pcm, clips):
        row[:min(len(c), len(row))] = c[:len(row)]
    rows = [[net.START, net.PLAIN, *tokens.encode(" " + t), net.END] if t else [net.START, net.PLAIN] for t in texts]
    tok = torch.full((len(rows), max(map(len, rows))), net.END)
    for row, r in zip(tok, rows):
        row[:len(r)] = torch.tensor(r)
    mel = model.log_mel(torch.from_numpy(pcm), filters, 2 * window)
    for row, c in zip(mel.numpy(), clips):
        if rng is not None and rng.random() < 0.5:
            augment.cover(rng, row[:, :1 + len(c) // 160])
    return dict(mel=mel, tokens=tok, lengths=torch.tensor([len(r) for r in rows]))


class Stream:
    """Endless batches of clips of similar length."""

    def __init__(self, folder, filters, tokens, seed, size):
        self.folder, self.filters, self.tokens, self.size = folder, filters, tokens, size
        self.rng = np.random.default_rng(seed)
        self.kinds, self.files, self.all = {}, [], []
        self.reload()

    def reload(self):
        new, files = data.load(self.folder, self.files)
        self.files += files
        for pcm, text, kind in new:
            opened, engine = kind.split(" ", 1)
            self.kinds.setdefault(engine, {}).setdefault(opened, []).append((pcm, text))
            self.all.append(pcm)

    def one(self, opened):
        """A recording and what it says."""
        names = sorted(self.kinds)
        p = np.array([SHARE[k] * min(1, sum(map(len, self.kinds[k].values())) / 300) for k in names])
        found = self.kinds[names[self.rng.choice(len(names), p=p / p.sum())]]["open" if self.rng.random() < opened else "robot"]
        pcm, text = found[self.rng.integers(len(found))]
        return pcm.astype(np.float32) / 32768, text

    def joined(self, opened):
        """Several recordings with pauses, as people talk on; at most what the longest window holds."""
        parts, texts, length = [], [], 0
        for _ in range(self.rng.integers(2, 5)):
            x, text = self.one(opened)
            length += len(x) + 8000
            if texts and length > LONGEST * 320 - 24000:
                break
            parts += [x * self.rng.uniform(0.6, 1), np.zeros(int(self.rng.uniform(0.1, 0.5) * RATE))]
            texts.append(text)
        return np.concatenate(parts), " ".join(texts)

    def batches(self, opened):
        """Five batches: four of single recordings sorted by length, and one of half as many joined ones."""
        pool = []
        for _ in range(4 * self.size):
            if self.rng.random() < 0.05:
                pool.append((nothing(self.rng), ""))
            else:
                x, text = self.one(opened)
                pool.append((hear(self.rng, x, self.all), text))
        pool.sort(key=lambda c: len(c[0]))
        parts = [pool[i:i + self.size] for i in range(0, len(pool), self.size)]
        parts.append([(hear(self.rng, x, self.all), text) for x, text in (self.joined(opened) for _ in range(self.size // 2))])
        return [pack(*zip(*parts[i]), self.filters, self.tokens, self.rng) for i in self.rng.permutation(len(parts))]


def held(folder, filters, tokens, size):
    """The validation recordings, heard once and for all: clean batches, and those in rooms and noise."""
    found, _ = data.load(folder)
    rng = np.random.default_rng(3)
    found = sorted(((pcm.astype(np.float32) / 32768, text) for pcm, text, _ in found), key=lambda c: len(c[0]))
    everything = [(x * 32767).astype(np.int16) for x, _ in found]
    out = []
    for change in (lambda x: np.concatenate([np.zeros(4800, np.float32), x]), lambda x: hear(rng, x, everything, 0)):
        clips = [(change(x), text) for x, text in found]
        out.append([pack(*zip(*clips[i:i + size]), filters, tokens) for i in range(0, len(clips), size)])
    return out
