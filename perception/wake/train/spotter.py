"""The network, its front end, and how a phrase is found: the same as in ../*.go, which says why."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RATE, FRAME, HOP, FFT, BANDS = 16000, 400, 160, 512, 40
STRIDE, FIRST = 3, 5
# The sounds of en-us as espeak-ng writes them; what is not in the list (stress, length) is left out. 0 is CTC's blank.
SYMBOLS = [""] + "a b d e f h i j k l m n o p s t u v w x z æ ð ŋ ɐ ɑ ɒ ɔ ə ɚ ɛ ɜ ɡ ɪ ɹ ɾ ʃ ʊ ʌ ʒ θ ᵻ ʔ".split()
SYMBOL = {s: i for i, s in enumerate(SYMBOLS)}
BLOCKS = [dict(taps=9, left=6, dilation=1)] * 4 + [dict(taps=9, left=8, dilation=2)] * 4


def numbers(sounds):
    return [SYMBOL[c] for c in sounds if c in SYMBOL]


def filters():
    """[BANDS, FFT/2+1]"""
    def mel(f): return 2595 * np.log10(1 + f / 700)
    def hertz(m): return 700 * (10 ** (m / 2595) - 1)
    f = np.arange(FFT // 2 + 1) * RATE / FFT
    edges = hertz(np.linspace(mel(60), mel(7600), BANDS + 2))
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    return torch.from_numpy(np.maximum(0, np.minimum((f - low) / (middle - low), (high - f) / (high - middle))).astype(np.float32))


def features(pcm, bank):
    """[B, n] samples → [B, BANDS, frames]"""
    frames = pcm.unfold(1, FRAME, HOP) * torch.hann_window(FRAME, periodic=True, device=pcm.device)
    power = torch.fft.rfft(frames, FFT).abs() ** 2
    return (power @ bank.T + 1e-6).log().transpose(1, 2)


class Block(nn.Module):
    def __init__(self, width, hidden, taps, left, dilation):
        super().__init__()
        self.pad = (left * dilation, (taps - 1 - left) * dilation)
        self.depth = nn.Conv1d(width, width, taps, dilation=dilation, groups=width, bias=False)
        self.norm = nn.BatchNorm1d(width)
        self.up, self.down = nn.Conv1d(width, hidden, 1), nn.Conv1d(hidden, width, 1)
        nn.init.zeros_(self.down.weight)
        nn.init.zeros_(self.down.bias)

    def forward(self, x, drop):
        y = self.norm(self.depth(F.pad(x, self.pad)))
        return x + F.dropout(self.down(F.relu(self.up(y))), drop, self.training)


class Net(nn.Module):
    def __init__(self, width=128, hidden=320):
        super().__init__()
        self.width, self.hidden = width, hidden
        self.register_buffer("mean", torch.zeros(BANDS))
        self.register_buffer("scale", torch.ones(BANDS))
        self.first = nn.Conv1d(BANDS, width, FIRST, stride=STRIDE)
        self.blocks = nn.ModuleList(Block(width, hidden, **b) for b in BLOCKS)
        self.out = nn.Conv1d(width, len(SYMBOLS), 1)

    def forward(self, mel, drop=0.0):
        """[B, BANDS, frames] → log probabilities [B, positions, symbols]"""
        x = F.relu(self.first((mel - self.mean[:, None]) * self.scale[:, None]))
        for b in self.blocks:
            x = b(x, drop)
        return self.out(x).transpose(1, 2).float().log_softmax(-1)


def positions(samples):
    """How many outputs so many samples give."""
    frames = (samples - FRAME) // HOP + 1
    return (frames - FIRST) // STRIDE + 1


NEVER = -1e9


def search(logp, phrase, longest=54):
    """The best way through a phrase that ends at each position: logp [B, T, symbols] → score, begin, worst sound's score, each [B, T].

    A path begins anywhere with the first sound; at every position it costs what the best symbol there is likelier. Between two
    sounds stands a blank or none; between two that are the same, one."""
    loss = logp - logp.max(-1, keepdims=True)
    symbols = [k for i, p in enumerate(phrase) for k in ((0, p) if i else (p,))]
    skips = np.array([j > 1 and symbols[j] != 0 and symbols[j] != symbols[j - 2] for j in range(len(symbols))])
    sound = np.array(symbols) != 0
    b, n = len(logp), len(symbols)
    score, begin = np.full((b, n), NEVER), np.zeros((b, n), int)
    worst, now = np.zeros((b, n)), np.full((b, n), NEVER)  # of the sounds before, and the best position of this one
    out, begins, worsts = (np.full(logp.shape[:2], NEVER), np.zeros(logp.shape[:2], int), np.full(logp.shape[:2], NEVER))

    def shifted(x, k, fill):
        return np.concatenate([np.full((b, k), fill, x.dtype), x[:, :-k]], 1)

    for t in range(logp.shape[1]):
        here = loss[:, t][:, symbols]
        score = np.where(t - begin > longest, NEVER, score)
        moves = np.stack([score, shifted(score, 1, NEVER), np.where(skips, shifted(score, 2, NEVER), NEVER)])
        moves[1, :, 0] = 0  # a new path
        which = moves.argmax(0)
        pick = lambda *xs: np.choose(which, xs)
        before = np.minimum(worst, np.where(sound, now, 0))  # what the next state inherits
        after = pick(worst, shifted(before, 1, 0.0), shifted(before, 2, 0.0))
        begin = pick(begin, shifted(begin, 1, 0), shifted(begin, 2, 0))
        begin[:, 0] = np.where(which[:, 0] == 1, t, begin[:, 0])
        after[:, 0] = 0
        now = np.where(which == 0, np.maximum(now, here), here)
        worst = after
        score = moves.max(0) + here
        out[:, t], begins[:, t], worsts[:, t] = score[:, -1], begin[:, -1], np.minimum(worst[:, -1], now[:, -1])
    return out, begins, worsts
