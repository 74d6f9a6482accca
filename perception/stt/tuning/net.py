"""Whisper tiny.en as PyTorch modules, read from the file of whisper.cpp, with low-rank changes to its matrices; and its tokens."""

import functools
import re
import struct

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

WINDOW = 256  # encoder positions of 20 ms: 5.12 s
END, START, NO_SPEECH, PLAIN = 50256, 50257, 50361, 50362
RANKS = {"encoder": 32, "decoder": 14}
TUNED = re.compile(r"(encoder|decoder)\.blocks\.\d+\.((cross_)?attn\.(query|key|value|out)|mlp\.[02])\.weight")
PIECES = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+")


class File:
    """A model file of whisper.cpp, float16 or float32: header, mel filters, vocabulary and tensors."""

    def __init__(self, path):
        self.data, self.at = open(path, "rb").read(), 4
        if self.data[:4] != b"lmgg":
            raise ValueError(path + " is no model file of whisper.cpp")
        names = "vocabulary audio_positions width heads layers text_positions text_width text_heads text_layers bands kind".split()
        self.header = dict(zip(names, self.ints(11)))
        bands, bins = self.ints(2)
        self.filters = torch.from_numpy(self.array("<f4", (bands, bins)).copy())
        self.words = [self.take(self.ints(1)[0]) for _ in range(self.ints(1)[0])]
        self.tensors = {}
        while self.at < len(self.data):
            dims, length, kind = self.ints(3)
            if kind > 1:
                raise ValueError(path + " is quantised: use the float16 file")
            shape = self.ints(dims)[::-1]
            name = self.take(length).decode()
            self.tensors[name] = torch.from_numpy(self.array(("<f4", "<f2")[kind], shape).astype(np.float32))

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def ints(self, n):
        return struct.unpack(f"<{n}i", self.take(4 * n))

    def array(self, kind, shape):
        return np.frombuffer(self.take(int(np.prod(shape)) * np.dtype(kind).itemsize), dtype=kind).reshape(shape)


class Tokens:
    """GPT-2's byte pair encoding. Tokens were numbered as they were merged, so the pair to merge first is the one of the lowest number."""

    def __init__(self, words):
        self.words = words
        self.number = {w: i for i, w in reversed(list(enumerate(words[:END])))}
        self.piece = functools.lru_cache(100000)(self._piece)

    def _piece(self, text):
        parts = [bytes([b]) for b in text.encode()]
        while len(parts) > 1:
            number, i = min((self.number.get(a + b, END), i) for i, (a, b) in enumerate(zip(parts, parts[1:])))
            if number == END:
                break
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        return [self.number[p] for p in parts]

    def encode(self, text):
        return [t for piece in PIECES.findall(text) for t in self.piece(piece)]

    def decode(self, tokens):
        return b"".join(self.words[t] for t in tokens if t < END).decode(errors="replace")


class Linear(nn.Module):
    """y = (W + B·A)·x + b; W and b are frozen, B starts at 0."""

    strength = 1.0  # of the change: 0 is the published model

    def __init__(self, weight, bias, rank):
        super().__init__()
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        out, inside = weight.shape
        self.a = nn.Parameter(torch.randn(rank, inside) * inside ** -0.5)
        self.b = nn.Parameter(torch.zeros(out, rank))

    def forward(self, x):
        return F.linear(x, self.weight + self.strength * (self.b @ self.a) if self.strength else self.weight, self.bias)


class Attention(nn.Module):
    def __init__(self, make, name, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (make(f"{name}.{k}") for k in ("query", "key", "value", "out"))

    def forward(self, x, source=None, causal=False):
        b, t, d = x.shape
        source = x if source is None else source
        q, k, v = (y.view(b, -1, self.heads, d // self.heads).transpose(1, 2) for y in (self.query(x), self.key(source), self.value(source)))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, make, norm, name, heads, cross):
        super().__init__()
        self.norm, self.cross = norm, cross
        self.names = [f"{name}.{k}" for k in ("attn_ln", "cross_attn_ln", "mlp_ln")]
        self.attn = Attention(make, name + ".attn", heads)
        self.cross_attn = Attention(make, name + ".cross_attn", heads) if cross else None
        self.first, self.second = make(name + ".mlp.0"), make(name + ".mlp.2")

    def forward(self, x, source=None):
        x = x + self.attn(self.norm(x, self.names[0]), causal=self.cross)
        if self.cross:
            x = x + self.cross_attn(self.norm(x, self.names[1]), source)
        return x + self.second(F.gelu(self.first(self.norm(x, self.names[2])), approximate="tanh"))


class Whisper(nn.Module):
    def __init__(self, file):
        super().__init__()
        h, self.fixed = file.header, {}
        for name, t in file.tensors.items():
            if not TUNED.fullmatch(name):
                self.fixed[name] = t.squeeze(1) if name.startswith("encoder.conv") and name.endswith("bias") else t
        self.linear = {}

        def make(name):
            self.linear[name + ".weight"] = m = Linear(file.tensors[name + ".weight"], file.tensors.get(name + ".bias"), RANKS[name.split(".")[0]])
            return m

        self.encoder = nn.ModuleList(Block(make, self.norm, f"encoder.blocks.{i}", h["heads"], False) for i in range(h["layers"]))
        self.decoder = nn.ModuleList(Block(make, self.norm, f"decoder.blocks.{i}", h["text_heads"], True) for i in range(h["text_layers"]))

    def _apply(self, f, recurse=True):
        self.fixed = {k: f(t) for k, t in self.fixed.items()}
        return super()._apply(f, recurse)

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.fixed[name + ".weight"], self.fixed[name + ".bias"])

    def encode(self, mel):
        """[B, 80, frames] → [B, frames/2, width]."""
        f = self.fixed
        x = F.gelu(F.conv1d(mel, f["encoder.conv1.weight"], f["encoder.conv1.bias"], padding=1), approximate="tanh")
        x = F.gelu(F.conv1d(x, f["encoder.conv2.weight"], f["encoder.conv2.bias"], stride=2, padding=1), approximate="tanh").transpose(1, 2)
        x = x + f["encoder.positional_embedding"][:x.shape[1]]
        for b in self.encoder:
            x = b(x)
        return self.norm(x, "encoder.ln_post")

    def decode(self, tokens, sound):
        """[B, n] → the decoder's last layer, [B, n, width]."""
        f = self.fixed
        x = f["decoder.token_embedding.weight"][tokens] + f["decoder.positional_embedding"][:tokens.shape[1]]
        for b in self.decoder:
            x = b(x, sound)
        return self.norm(x, "decoder.ln")

    def logits(self, x):
        return F.linear(x, self.fixed["decoder.token_embedding.weight"])

    @torch.no_grad()
    def greedy(self, mel, most=60):
        """What the decoder writes, without timestamps, as token lists."""
        sound = self.encode(mel)
        t = torch.tensor([[START, PLAIN]] * len(mel), device=mel.device)
        for _ in range(most):
            p = self.logits(self.decode(t, sound)[:, -1])
            p[:, END + 1:] = -1e9
            if t.shape[1] == 2:
                p[:, END] = -1e9  # whisper.cpp never begins with the end
            n = torch.where((t[:, 2:] == END).any(1), END, p.argmax(-1))
            t = torch.cat([t, n[:, None]], 1)
            if (n == END).all():
                break
        return [[k for k in row[2:] if k < END] for row in t.tolist()]
