"""Recordings on disk → batches for the network."""

import functools
import glob
import re
import subprocess

import numpy as np
import torch

import augment
import model
import phrases

END, START, PLAIN = (len(phrases.WORDS) + 1 + i for i in range(3))  # after the words and [unknown]
WORDS = phrases.WORDS + [phrases.UNKNOWN]
WORD = {w: i for i, w in enumerate(WORDS)}
CLASSES = phrases.COMMANDS + [phrases.UNKNOWN]
CLASS = {c: i for i, c in enumerate(CLASSES)}

# The sounds of en-us as espeak-ng writes them; what is not in the list (stress, length) is left out. 0 is CTC's blank, 1 a word's end.
PHONES = "a b d e f h i j k l m n o p s t u v w x z æ ð ŋ ɐ ɑ ɒ ɔ ə ɚ ɛ ɜ ɡ ɪ ɹ ɾ ʃ ʊ ʌ ʒ θ ᵻ ʔ".split()
PHONE = {p: i + 2 for i, p in enumerate(PHONES)}


@functools.lru_cache(None)
def word_phones(word):
    s = subprocess.run(["espeak-ng", "-q", "--ipa", "-v", "en-us", word], capture_output=True, text=True).stdout
    return [PHONE[c] for c in s if c in PHONE]


def phones(text):
    out = []
    for w in text.split():
        out += word_phones(w) + [1]
    return out[:-1]


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


def label(text):
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


def pack(clips, texts, filters, positions, rng=None, bounds=None):
    """Clips of float32 and what they say (None: no speech) → tensors of one batch. bounds say where the speech is."""
    pcm = np.zeros((len(clips), positions * 320), dtype=np.float32)
    for row, c in zip(pcm, clips):
        row[: min(len(c), len(row))] = c[: len(row)]
    mel = model.log_mel(torch.from_numpy(pcm), filters, 2 * positions)
    if rng is not None:
        for m in mel.numpy():
            augment.cover(rng, m)
    words = [tokens(t or "") for t in texts]
    most = max(map(len, words))
    tok = torch.full((len(words), most), END)
    for row, w in zip(tok, words):
        row[: len(w)] = torch.tensor(w)
    sounds = [phones(t or "") for t in texts]
    ph = torch.zeros(len(sounds), max(1, max(map(len, sounds))), dtype=torch.long)
    for row, s in zip(ph, sounds):
        row[: len(s)] = torch.tensor(s, dtype=torch.long)
    return dict(mel=mel, tokens=tok, lengths=torch.tensor([len(w) for w in words]), phones=ph,
                when=torch.from_numpy(np.stack([spread(s, b, positions) for s, b in zip(sounds, bounds or [(0, 0)] * len(sounds))])),
                phone_lengths=torch.tensor([len(s) for s in sounds]), classes=torch.tensor([CLASS[label(t or "")] for t in texts]))


# A kind's share of a batch: voices taken from people first, however many clips of each kind there are.
SHARE = {"kokoro": 0.42, "espeak variants": 0.22, "flite slt": 0.05, "flite rms": 0.09, "flite kal16": 0.05, "festival": 0.05, "pico en-US": 0.06, "pico en-GB": 0.06}


class Stream:
    """Endless batches of about `size` clips, of similar length each."""

    def __init__(self, folder, filters, seed, size=16):
        self.folder, self.filters, self.size = folder, filters, size
        self.rng = np.random.default_rng(seed)
        self.kinds, self.files = {}, []
        self.reload()

    def reload(self):
        new, files = load(self.folder, self.files)
        self.files += files
        for pcm, text, kind in new:
            self.kinds.setdefault(kind, []).append((pcm, text))
        self.clips = [c for v in self.kinds.values() for c, _ in v]
        return len(new)

    def batches(self, strength, whole):
        """One sorted pool of eight batches; whole is the chance that a batch fills the full window with silence."""
        rng = self.rng
        names = sorted(self.kinds)
        p = np.array([SHARE.get(k, 0.05) * min(1, len(self.kinds[k]) / 300) for k in names])
        pool = []
        for k in rng.choice(len(names), self.size * 8, p=p / p.sum()):
            if rng.random() < 0.04:
                pool.append((augment.nothing(rng, self.clips), (0, 0), None))
                continue
            kind = self.kinds[names[k]]
            pcm, text = kind[rng.integers(len(kind))]
            pool.append((*augment.hear(rng, pcm, self.clips, strength), text))
        pool.sort(key=lambda c: len(c[0]))
        out = []
        for i in rng.permutation(8):
            part = pool[i * self.size:(i + 1) * self.size]
            need = -(-max(len(c) for c, _, _ in part) // 320)
            positions = model.WINDOW if rng.random() < whole else min(model.WINDOW, -(-(need + 2) // 8) * 8)
            out.append(pack([c for c, _, _ in part], [t for _, _, t in part], self.filters, positions, rng if strength > 0.3 else None, [b for _, b, _ in part]))
        return out
