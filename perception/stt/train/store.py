"""Recordings on disk → batches that are made on the GPU that learns from them, by what makes those of the tuning of Whisper."""

import os
import sys

import numpy as np
import torch

import augment
import data
import model

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tuning"))
import clips

# An engine's share of the clips, voices taken from people first; less while it has few recordings.
SHARE = {"kokoro": 0.42, "espeak": 0.3, "flite slt": 0.1, "flite rms": 0.1, "festival:cmu_us_slt_arctic_hts": 0.03}
RATE, LONGEST = augment.RATE, model.WINDOW * 320
MOST = int(4.2 * RATE)  # of a recording: what is slowed down still fits


class Store:
    """The recordings of a folder, and endless batches of them."""

    def __init__(self, folder, seed, device, size=512):
        self.folder, self.device, self.size = folder, device, size
        self.rng, self.sound = np.random.default_rng(seed), clips.Sound(seed, device)
        self.files, self.engines, self.classes, self.end = [], {}, [], 1
        self.words, self.sounds, self.starts, self.lengths, self.loud = [], [], [], [], []
        self.filters = model.mel_filters().to(device)
        self.reload()

    def reload(self):
        """Takes what has been spoken meanwhile."""
        new = []
        for pcm, text, sounds, kind in clips.spoken(self.folder, self.files):
            if not 1600 < len(pcm) < MOST:
                continue
            part = "command" if data.label(text) != data.phrases.UNKNOWN else "other"
            self.engines.setdefault(kind, {}).setdefault(part, []).append(len(self.starts))
            self.starts.append(self.end)
            self.lengths.append(len(pcm))
            self.loud.append(pcm[::7].astype(np.float32).std() / 32768 + 1e-4)
            self.words.append(data.tokens(text))
            self.classes.append(data.CLASS[data.label(text)])
            self.sounds.append([int(k) for k in sounds.split()])
            self.end += len(pcm)
            new.append(pcm)
        self.sound.take(new)
        self.long = np.array(self.lengths)
        self.rows = [self.table(*t) for t in ((self.words, data.END), (self.sounds, 0))] + [self.table([[c] for c in self.classes], 0)]
        self.others = (torch.tensor(self.starts, device=self.device), torch.tensor(self.lengths, device=self.device),
                       torch.tensor(self.loud, dtype=torch.float32, device=self.device))

    def table(self, lists, rest):
        """Lists of numbers as [n, longest] and how long each is."""
        longest = max(1, max(map(len, lists)))
        return (torch.tensor([x + [rest] * (longest - len(x)) for x in lists], device=self.device), torch.tensor([len(x) for x in lists], device=self.device))

    def draw(self, n):
        names = sorted(self.engines)
        p = np.array([SHARE.get(k, 0.05) * min(1, sum(map(len, self.engines[k].values())) / 300) for k in names])
        out = []
        for k in self.rng.choice(len(names), n, p=p / p.sum()):
            parts = self.engines[names[k]]
            found = parts.get("command" if self.rng.random() < 0.6 else "other") or next(iter(parts.values()))
            out.append(found[self.rng.integers(len(found))])
        return np.array(out)

    def batches(self, strength, whole, even):
        """Four of similar length each. strength is the part of the clips that meets rooms and noise, whole the chance of the full window;
        even: with the sounds laid out evenly, for who does not hear yet."""
        rows = self.draw(4 * self.size)
        rows = rows[np.argsort(self.long[rows])]
        for k in self.rng.permutation(4):
            yield self.batch(rows[k * self.size:(k + 1) * self.size], strength, self.rng.random() < whole, even)

    def batch(self, rows, strength, whole, even):
        n, rng, i = len(rows), self.rng, torch.tensor(rows, device=self.device)
        there = lambda a: torch.tensor(a, dtype=torch.float32, device=self.device)
        speed = np.where(rng.random(n) < 0.7 * strength, np.exp(rng.uniform(-0.17, 0.17, n)), 1.0)
        before, after = rng.uniform(0.03, 0.4, n) * RATE, rng.uniform(0.05, 0.45, n) * RATE
        end = before + self.long[rows] / speed
        length = np.minimum(end + after, LONGEST - 320)
        positions = model.WINDOW if whole else min(model.WINDOW, -(-int(length.max() / 320 + 2) // 8) * 8)
        x = self.sound.gather(self.others[0][i], self.others[1][i].float(), there(speed), there(before), positions * 320)
        silent = rng.random(n) < 0.04
        quiet = torch.tensor(silent, device=self.device)
        y = self.sound.hear(x, there(before), there(end), there(length), self.others, quiet)
        few = torch.tensor(rng.random(n) >= strength, device=self.device) & ~quiet
        y = torch.where(few[:, None], x + 1e-4 * self.sound.normal(*x.shape), y)
        mel = model.log_mel(y, self.filters, 2 * positions)
        if strength > 0.3:
            mel = self.sound.cover(self.sound.throats(mel), there(length / 160 + 1).long().clamp(max=2 * positions))
        (words, many), (sounds, sounded), (classes, _) = ((t[i], m[i]) for t, m in self.rows)
        none = torch.tensor(data.tokens("") + [data.END] * (words.shape[1] - 3), device=self.device)[: words.shape[1]]
        b = dict(mel=mel, tokens=torch.where(quiet[:, None], none, words), lengths=torch.where(quiet, len(data.tokens("")), many), phones=sounds,
                 phone_lengths=sounded.masked_fill(quiet, 0), classes=classes[:, 0].masked_fill(quiet, data.CLASS[data.phrases.UNKNOWN]))
        most = int(b["lengths"].max())
        b["tokens"] = b["tokens"][:, :most]
        if even:
            laid = [data.spread([] if s else self.sounds[k], (o, e), positions) for s, k, o, e in zip(silent, rows, before, end)]
            b["when"] = torch.from_numpy(np.stack(laid)).to(self.device)
        return b
