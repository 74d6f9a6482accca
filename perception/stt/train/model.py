"""The network: Whisper's architecture, small. Names and shapes of the parameters are those of a Whisper file, so that export is a copy.

What whisper.cpp does and training has to do as well:
  - the log-mel spectrogram is clipped at 8 (log10) under its maximum and scaled by (x+4)/4;
  - keys are padded with zeros to a multiple of 256, without a mask;
  - the decoder starts with [start of transcript, no timestamps].
"""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

WINDOW = 256  # encoder positions of 20 ms: 5.12 s


def mel_filters(bands=80, rate=16000, size=400):
    """Whisper's filter bank, [bands, size/2+1]: triangles of equal area on Slaney's mel scale, which is linear up to 1 kHz."""
    def mel(f):
        f = np.asarray(f, dtype=np.float64)
        return np.where(f < 1000, f * 3 / 200, 15 + np.log(np.maximum(f, 1) / 1000) * 27 / np.log(6.4))

    def hertz(m):
        return np.where(m < 15, m * 200 / 3, 1000 * np.exp((m - 15) * np.log(6.4) / 27))

    f = np.linspace(0, rate / 2, size // 2 + 1)
    edges = hertz(np.linspace(mel(0), mel(rate / 2), bands + 2))
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    triangles = np.maximum(0, np.minimum((f - low) / (middle - low), (high - f) / (high - middle)))
    return torch.from_numpy((triangles * 2 / (high - low)).astype(np.float32))


def log_mel(pcm, filters, frames):
    """[B, n] samples at 16 kHz → [B, 80, frames]."""
    s = torch.stft(pcm, 400, 160, window=torch.hann_window(400, device=pcm.device), center=True, pad_mode="reflect", return_complex=True)
    m = (filters @ s[:, :, :frames].abs() ** 2).clamp(min=1e-10).log10()
    return (torch.maximum(m, m.amax(dim=(1, 2), keepdim=True) - 8) + 4) / 4


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x, source=None, causal=False, pad=0):
        b, t, d = x.shape
        source = x if source is None else source
        k, v = self.key(source), self.value(source)
        if pad:
            k, v = F.pad(k, (0, 0, 0, pad)), F.pad(v, (0, 0, 0, pad))
        q, k, v = (y.view(b, -1, self.heads, d // self.heads).transpose(1, 2) for y in (self.query(x), k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, width, heads, cross):
        super().__init__()
        self.attn, self.attn_ln = Attention(width, heads), nn.LayerNorm(width)
        if cross:
            self.cross_attn, self.cross_attn_ln = Attention(width, heads), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))
        self.mlp_ln = nn.LayerNorm(width)
        self.cross = cross

    def forward(self, x, source=None, pad=0, drop=0.0):
        x = x + F.dropout(self.attn(self.attn_ln(x), causal=self.cross, pad=0 if self.cross else pad), drop)
        if self.cross:
            x = x + F.dropout(self.cross_attn(self.cross_attn_ln(x), source, pad=pad), drop)
        return x + F.dropout(self.mlp(self.mlp_ln(x)), drop)


def sinusoids(length, width):
    step = math.log(10000) / (width // 2 - 1)
    a = torch.arange(length)[:, None] * torch.exp(-step * torch.arange(width // 2))[None]
    return torch.cat([a.sin(), a.cos()], 1)


class Model(nn.Module):
    """words counts the word tokens; after them come end, start and no-timestamps. phones and classes are for the two helpers
    of training that are not exported: sounds by CTC on the encoder, whole commands by a pooled classifier."""

    def __init__(self, words, phones, classes, width=128, heads=4, encoder=4, decoder=2, text=32):
        super().__init__()
        self.config = dict(words=words, phones=phones, classes=classes, width=width, heads=heads, encoder=encoder, decoder=decoder, text=text)
        self.conv1 = nn.Conv1d(80, width, 3, padding=1)
        self.conv2 = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.register_buffer("positions", 0.15 * sinusoids(WINDOW, width))
        self.encoder = nn.ModuleList(Block(width, heads, False) for _ in range(encoder))
        self.ln_post = nn.LayerNorm(width)
        self.tokens = nn.Parameter(torch.randn(words + 3, width) * 0.05)
        self.text_positions = nn.Parameter(torch.randn(text, width) * 0.02)
        self.decoder = nn.ModuleList(Block(width, heads, True) for _ in range(decoder))
        self.ln = nn.LayerNorm(width)
        self.phones = nn.Linear(width, phones)
        self.classes = nn.Linear(2 * width, classes)
        for c in (self.conv1, self.conv2):
            nn.init.kaiming_normal_(c.weight, nonlinearity="relu")
            nn.init.zeros_(c.bias)
        # Channel 0 of the last layer norm is always 1 and no word uses it: in the file the rows of the 51 000 tokens that are
        # no word of ours hold -30 there, so that they are never written.
        used = torch.ones(width)
        used[0] = 0
        self.register_buffer("used", used)
        self.drop = 0.0

    def encode(self, mel, pad):
        x = F.gelu(self.conv1(mel), approximate="tanh")
        x = F.gelu(self.conv2(x), approximate="tanh").transpose(1, 2)
        x = x + self.positions[:x.shape[1]]
        drop = self.drop if self.training else 0.0
        for b in self.encoder:
            x = b(x, pad=pad, drop=drop)
        return self.ln_post(x)

    def decode(self, tokens, sound, pad):
        e = self.tokens * self.used
        x = e[tokens] + self.text_positions[:tokens.shape[1]]
        drop = self.drop if self.training else 0.0
        for b in self.decoder:
            x = b(x, sound, pad=pad, drop=drop)
        return (self.ln(x) * self.used + (1 - self.used)) @ e.t()

    def classify(self, sound):
        return self.classes(torch.cat([sound.amax(1), sound.mean(1) * 4], 1))


def pad_for(positions):
    """How many zero keys whisper.cpp would add."""
    return -positions % 256
