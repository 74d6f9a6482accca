"""Recordings on disk, and what is to be learned of them."""

import functools
import glob
import re

import numpy as np
import torch

import model
import phrases
from sounds import PHONE, PHONES

END, START, PLAIN = (len(phrases.WORDS) + 1 + i for i in range(3))  # after the words and [unknown]
WORDS = phrases.WORDS + [phrases.UNKNOWN]
WORD = {w: i for i, w in enumerate(WORDS)}
CLASSES = phrases.COMMANDS + [phrases.UNKNOWN]
CLASS = {c: i for i, c in enumerate(CLASSES)}

# How long a sound is beside others, roughly; only for the first alignment.
LONG = {PHONE[p]: 1.6 for p in "a e i o u æ ɐ ɑ ɒ ɔ ɛ ɜ".split()} | {1: 0.2}


def spread(sounds, bounds, positions):
    """The sounds laid out evenly over where the speech is: a first guess of which is heard when, [positions]."""
    out = np.zeros(positions, dtype=np.int64)
    if not sounds:
        return out
    a, b = bounds[0] / 320 + 2, bounds[1] / 320 - 3  # trim left 50 and 75 ms of silence
    edges = a + (b - a) * np.cumsum([0] + [LONG.get(s, 1) for s in sounds]) / sum(LONG.get(s, 1) for s in sounds)
    at = np.arange(positions) + 0.5
    k = np.searchsorted(edges, at) - 1
    inside = (k >= 0) & (k < len(sounds))
    out[inside] = np.array(sounds)[k[inside]]
    return out


@functools.lru_cache(None)
def label(text):
    text = phrases.plain(text)
    return text if text in CLASS else phrases.UNKNOWN


def tokens(text):
    return [START, PLAIN] + [WORD[w] for w in label(text).split()] + [END]


def load(folder, seen=()):
    """[(samples, text, kind)] of the files of a folder that are not in seen, and the files."""
    out, files = [], []
    for f in sorted(glob.glob(folder + "/*.npz")):
        if f in seen or ".tmp." in f:
            continue
        d = np.load(f)
        pcm, ends = d["pcm"], d["ends"]
        for a, b, t, k in zip([0, *ends[:-1]], ends, d["texts"], d["kinds"]):
            out.append((pcm[a:b], str(t), re.sub(r":.*", "", str(k))))
        files.append(f)
    return out, files


def spectrograms(clips, filters, positions):
    """Clips of float32 → [n, 80, 2 positions]."""
    pcm = np.zeros((len(clips), positions * 320), dtype=np.float32)
    for row, c in zip(pcm, clips):
        row[: min(len(c), len(row))] = c[: len(row)]
    return model.log_mel(torch.from_numpy(pcm), filters, 2 * positions)
