"""The networks of train.py: MiniLM from reachyd's own file, with low-rank changes (LoRA), and the small network that the program holds."""

import json
import struct

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

# What is said of a sentence: no praise or blame, or how strong it is in tenths, blame first; then what was meant.
STRENGTHS = [round(k / 10, 1) for k in range(2, 11)]
VALUES = [-s for s in reversed(STRENGTHS)] + [0.0] + STRENGTHS
NEUTRAL = len(STRENGTHS)
MEANINGS = ["too_fast", "too_slow", "too_far", "not_far_enough", "wrong_direction", "wrong_thing", "too_loud", "too_quiet", "too_often", "too_long", "too_short"]
OUTS = len(VALUES) + len(MEANINGS)


def load_minilm(path):
    """The tensors of reachyd's file, matrices dequantised, and the vocabulary."""
    raw = open(path, "rb").read()
    (n,) = struct.unpack_from("<Q", raw)
    head, rest = json.loads(raw[8 : 8 + n]), memoryview(raw)[8 + n :]
    kinds = {"F32": "<f4", "I8": "i1", "U8": "u1"}
    out = {}
    for name, e in head.items():
        lo, hi = e["data_offsets"]
        out[name] = np.frombuffer(rest[lo:hi], kinds[e["dtype"]]).reshape(e["shape"])
    vocabulary = bytes(out.pop("vocabulary")).decode().splitlines()
    tensors = {}
    for name, x in out.items():
        if name.endswith(".scale"):
            continue
        scale = out.get(name + ".scale")
        tensors[name] = torch.from_numpy(x.astype("f4") * scale[:, None] if scale is not None else x.copy())
    return tensors, vocabulary


class Low(nn.Module):
    """A linear map that is known, and a change of a low rank; without a rank all of it is learned."""

    def __init__(self, weight, bias, rank):
        super().__init__()
        self.weight, self.bias = nn.Parameter(weight.clone(), requires_grad=not rank), nn.Parameter(bias.clone(), requires_grad=not rank)
        self.rank = rank
        if rank:
            self.a = nn.Parameter(torch.randn(rank, weight.shape[1]) / weight.shape[1] ** 0.5)
            self.b = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, x):
        y = F.linear(x, self.weight, self.bias)
        return y + F.linear(F.linear(x, self.a), self.b) if self.rank else y


class MiniLM(nn.Module):
    def __init__(self, tensors, rank, drop=0.1):
        super().__init__()
        grown = lambda name: nn.Parameter(tensors[name].clone(), requires_grad=not rank)
        self.word, self.place = grown("embeddings.word_embeddings.weight"), grown("embeddings.position_embeddings.weight")
        self.kind = grown("embeddings.token_type_embeddings.weight")
        self.norms, self.layers, self.drop = nn.ModuleList(), nn.ModuleList(), drop

        def norm(name):
            n = nn.LayerNorm(384, eps=1e-12)
            n.weight, n.bias = grown(name + ".weight"), grown(name + ".bias")
            return n

        self.norms.append(norm("embeddings.LayerNorm"))
        for i in range(6):
            at = f"encoder.layer.{i}."
            parts = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense"]
            self.layers.append(nn.ModuleList([Low(tensors[at + p + ".weight"], tensors[at + p + ".bias"], rank) for p in parts]))
            self.norms.append(norm(at + "attention.output.LayerNorm"))
            self.norms.append(norm(at + "output.LayerNorm"))
        self.head = nn.Linear(6 * 384, OUTS)
        nn.init.normal_(self.head.weight, std=0.05)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids, kinds, real):
        b, t = ids.shape
        x = F.embedding(ids, self.word) + self.place[:t] + F.embedding(kinds, self.kind)
        x = self.norms[0](x)
        share = real.to(x.dtype)[:, :, None]
        share = share / share.sum(1, keepdim=True)
        states = []
        for i, (q, k, v, o, up, down) in enumerate(self.layers):
            cut = lambda y: y.view(b, t, 12, 32).transpose(1, 2)
            y = F.scaled_dot_product_attention(cut(q(x)), cut(k(x)), cut(v(x)), attn_mask=real[:, None, None, :])
            x = self.norms[1 + 2 * i](x + F.dropout(o(y.transpose(1, 2).reshape(b, t, 384)), self.drop, self.training))
            x = self.norms[2 + 2 * i](x + F.dropout(down(F.gelu(up(x))), self.drop, self.training))
            states.append(F.normalize((x * share).sum(1), dim=-1))
        return self.head(F.dropout(torch.cat(states, -1), self.drop, self.training) * 8)


class Net(nn.Module):
    """The small network: what is known of each word, three layers that look at its neighbours, and sums over the words."""

    def __init__(self, words, roles, width=64, pieces=4096, drop=0.15):
        super().__init__()
        self.drop = drop
        self.words, self.pieces = nn.Embedding(words, width, padding_idx=0), nn.EmbeddingBag(pieces, width, mode="mean", padding_idx=0)
        self.roles, self.level = nn.Parameter(torch.zeros(roles, width)), nn.Embedding(14, width)
        for e in (self.words, self.pieces, self.level):
            nn.init.normal_(e.weight, std=0.3)
        nn.init.normal_(self.roles, std=0.3)
        with torch.no_grad():
            self.words.weight[0] = self.pieces.weight[0] = 0
        self.near = nn.ModuleList([nn.Conv1d(width, width, 3, padding=1) for _ in range(3)])
        self.inner = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])
        self.gate, self.say = nn.Linear(width, 4), nn.Linear(5 * width, OUTS)

    def forward(self, words, pieces, roles, level, real):
        """words, level: b × t; pieces: b × t × n; roles: b × t × roles (0, 1); real: b × t."""
        with torch.autocast(words.device.type, enabled=False):
            return self.read(words, pieces, roles, level, real)

    def read(self, words, pieces, roles, level, real):
        b, t = words.shape
        part = self.pieces(pieces.view(b * t, -1)).view(b, t, -1)
        if self.training:  # a word that is not known has its parts only
            words = torch.where(torch.rand(words.shape, device=words.device) < 0.1, torch.zeros_like(words), words)
        x = self.words(words) + part + roles @ self.roles + self.level(level)
        mask = real[:, :, None].to(x.dtype)
        x = F.dropout(x, self.drop, self.training) * mask
        for near, inner in zip(self.near, self.inner):
            y = F.relu(near(F.rms_norm(x, x.shape[-1:], eps=1e-5).transpose(1, 2)).transpose(1, 2))
            x = (x + inner(F.dropout(y, self.drop, self.training))) * mask
        x = F.dropout(x, self.drop, self.training)
        top = x.masked_fill(~real[:, :, None], -1e4).max(1).values
        g = self.gate(x).masked_fill(~real[:, :, None], -1e4).softmax(1)
        pooled = torch.einsum("btg,bto->bgo", g, x).reshape(b, -1)
        return self.say(torch.cat([top, pooled], -1))
