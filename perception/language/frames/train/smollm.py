"""A small language model of the llama family (SmolLM2, Qwen 2.5) from its GGUF file, in plain PyTorch: to be trained further, and to write with.

open_model(FILE) gives (model, tokenizer). FILE may be a list of pieces of the file.
"""

import math
import pathlib
import struct

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

SIMPLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


class Gguf:
    """The values and tensors of a GGUF file."""

    def __init__(self, pieces):
        pieces = pieces if isinstance(pieces, (list, tuple)) else [pieces]
        self.raw, self.at = b"".join(pathlib.Path(p).read_bytes() for p in pieces), 0
        if self.raw[:4] != b"GGUF":
            raise ValueError(f"{pieces[0]}: no GGUF file")
        self.at = 8
        tensors, values = self.take("QQ")
        self.values = {self.text(): self.value(self.take("I")[0]) for _ in range(values)}
        where = {}
        for _ in range(tensors):
            name = self.text()
            shape = self.take("Q" * self.take("I")[0])[::-1]
            kind, offset = self.take("IQ")
            where[name] = (shape, kind, offset)
        align = self.values.get("general.alignment", 32)
        start = (self.at + align - 1) // align * align
        self.tensors = {n: numbers(self.raw, start + o, kind, shape) for n, (shape, kind, o) in where.items()}

    def take(self, form):
        out = struct.unpack_from("<" + form, self.raw, self.at)
        self.at += struct.calcsize("<" + form)
        return out

    def text(self):
        (n,) = self.take("Q")
        self.at += n
        return self.raw[self.at - n : self.at].decode()

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            of, n = self.take("IQ")
            return [self.value(of) for _ in range(n)]
        return self.take(SIMPLE[kind])[0]


def numbers(raw, at, kind, shape):
    """The numbers of a tensor in one of the forms of ggml."""
    n = int(np.prod(shape))

    def blocks(form, of):
        return np.frombuffer(raw, np.dtype(form), n // of, at)

    if kind == 0:
        out = np.frombuffer(raw, "<f4", n, at).copy()
    elif kind == 1:
        out = np.frombuffer(raw, "<f2", n, at).astype("f4")
    elif kind in (2, 3):
        b = blocks([("d", "<f2"), ("q", "u1", 16)] if kind == 2 else [("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)], 32)
        q = np.concatenate([b["q"] & 15, b["q"] >> 4], 1).astype("f4")
        out = (q - 8) * b["d"].astype("f4")[:, None] if kind == 2 else q * b["d"].astype("f4")[:, None] + b["m"].astype("f4")[:, None]
    elif kind == 6:
        b = blocks([("d", "<f2"), ("h", "<u4"), ("q", "u1", 16)], 32)
        high = (b["h"][:, None] >> np.arange(32, dtype="u4") & 1).astype("u1") << 4
        out = (np.concatenate([b["q"] & 15, b["q"] >> 4], 1) | high).astype("f4") - 16
        out *= b["d"].astype("f4")[:, None]
    elif kind == 8:
        b = blocks([("d", "<f2"), ("q", "i1", 32)], 32)
        out = b["q"].astype("f4") * b["d"].astype("f4")[:, None]
    elif kind == 12:
        b = blocks([("d", "<f2"), ("m", "<f2"), ("s", "u1", 12), ("q", "u1", (4, 32))], 256)
        s = b["s"].astype("i4")
        size = np.concatenate([s[:, :4] & 63, s[:, 8:] & 15 | s[:, :4] >> 6 << 4], 1) * b["d"].astype("f4")[:, None]
        least = np.concatenate([s[:, 4:8] & 63, s[:, 8:] >> 4 | s[:, 4:8] >> 6 << 4], 1) * b["m"].astype("f4")[:, None]
        q = np.stack([b["q"] & 15, b["q"] >> 4], 2).reshape(len(b), 8, 32)
        out = q * size[:, :, None] - least[:, :, None]
    elif kind == 14:
        b = blocks([("l", "u1", (2, 64)), ("h", "u1", (2, 32)), ("s", "i1", (2, 8)), ("d", "<f2")], 256)
        low, high, s = b["l"].astype("i4"), b["h"].astype("i4"), b["s"].astype("f4")
        q = np.empty((len(b), 2, 4, 32), "f4")
        q[:, :, 0] = (low[:, :, :32] & 15) | ((high & 3) << 4)
        q[:, :, 1] = (low[:, :, 32:] & 15) | ((high >> 2 & 3) << 4)
        q[:, :, 2] = (low[:, :, :32] >> 4) | ((high >> 4 & 3) << 4)
        q[:, :, 3] = (low[:, :, 32:] >> 4) | ((high >> 6 & 3) << 4)
        out = (q - 32).reshape(len(b), 2, 8, 16) * s[:, :, :, None] * b["d"].astype("f4")[:, None, None, None]
    else:
        raise ValueError(f"tensors of kind {kind} are not read")
    return torch.from_numpy(np.ascontiguousarray(out.reshape(shape), "f4"))


class Layer(nn.Module):
    def __init__(self, width, heads, kv, inner, shifted, least):
        super().__init__()
        self.heads, self.kv, self.size, self.least = heads, kv, width // heads, least
        self.before, self.between = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))
        self.qkv = nn.Linear(width, (heads + 2 * kv) * self.size, bias=shifted)
        self.o = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 2 * inner, bias=False)  # gate and up
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x, turn, mask, cache, at):
        b, t, w = x.shape
        y = self.qkv(norm(x, self.before, self.least)).view(b, t, self.heads + 2 * self.kv, self.size)
        q, k, v = y.split([self.heads, self.kv, self.kv], 2)
        q, k, v = turned(q, turn).transpose(1, 2), turned(k, turn).transpose(1, 2), v.transpose(1, 2)
        if cache is not None:
            cache[0][:, :, at : at + t], cache[1][:, :, at : at + t] = k, v
            k, v = cache[0][:, :, : at + t], cache[1][:, :, : at + t]
        if t == 1:  # one query for all heads that share a key
            q = q.reshape(b, self.kv, -1, self.size)
            share = (q @ k.transpose(2, 3)) * self.size**-0.5
            y = (share.float().masked_fill(~mask, -1e9).softmax(-1).to(v.dtype) @ v).reshape(b, 1, w)
        else:
            again = self.heads // self.kv
            k, v = k.repeat_interleave(again, 1), v.repeat_interleave(again, 1)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None).transpose(1, 2).reshape(b, t, w)
        x = x + self.o(y)
        gate, up = self.up(norm(x, self.between, self.least)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


def norm(x, weight, least):
    return F.rms_norm(x, x.shape[-1:], weight.to(x.dtype), least)


def turned(x, turn):
    cos, sin = turn
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class Llama(nn.Module):
    def __init__(self, gguf):
        super().__init__()
        t, v = gguf.tensors, gguf.values
        arch = v["general.architecture"]
        heads, kv = v[f"{arch}.attention.head_count"], v[f"{arch}.attention.head_count_kv"]
        self.base = v.get(f"{arch}.rope.freq_base", 10000.0)
        self.least = v.get(f"{arch}.attention.layer_norm_rms_epsilon", 1e-5)
        words = t["token_embd.weight"]
        self.words = nn.Embedding.from_pretrained(words, freeze=False)
        width = words.shape[1]
        self.size = width // heads
        self.layers = nn.ModuleList()
        for i in range(v[f"{arch}.block_count"]):
            g = lambda name: t[f"blk.{i}.{name}.weight"]
            shift = [t[f"blk.{i}.attn_{part}.bias"] for part in "qkv" if f"blk.{i}.attn_{part}.bias" in t]
            layer = Layer(width, heads, kv, g("ffn_down").shape[1], bool(shift), self.least)
            whole = lambda w, n: w  # of a llama ggml has the pairs of RoPE side by side
            if arch == "llama":
                whole = lambda w, n: w.view(n, -1, 2, w.shape[1]).transpose(1, 2).reshape(w.shape)
            if shift:
                layer.qkv.bias.data = torch.cat(shift)
            for to, of in (
                (layer.before, g("attn_norm")), (layer.between, g("ffn_norm")), (layer.o.weight, g("attn_output")), (layer.down.weight, g("ffn_down")),
                (layer.qkv.weight, torch.cat([whole(g("attn_q"), heads), whole(g("attn_k"), kv), g("attn_v")])),
                (layer.up.weight, torch.cat([g("ffn_gate"), g("ffn_up")])),
            ):
                to.data = of.clone()
            self.layers.append(layer)
        self.last = nn.Parameter(t["output_norm.weight"].clone())

    def turn(self, place, like):
        f = self.base ** (-torch.arange(0, self.size, 2, device=place.device, dtype=torch.float32) / self.size)
        a = place[..., None].float() * f
        return a.cos().to(like)[:, :, None], a.sin().to(like)[:, :, None]

    def kind(self, ids):
        device = ids.device.type
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else self.last.dtype

    def forward(self, ids, real, cache=None, at=0):
        """The states behind ids; real says which are no padding, from the first of the cache on."""
        b, t = ids.shape
        if real is None:  # padding stands behind, where nothing looks
            turn, mask = self.turn(torch.arange(t, device=ids.device)[None], self.kind(ids)), None
            x = self.words(ids)
            for layer in self.layers:
                x = layer(x, turn, mask, None, at)
            return norm(x, self.last, self.least)
        place = (real.long().cumsum(1) - 1).clamp(min=0)[:, at : at + t]
        x = self.words(ids)
        turn = self.turn(place, self.kind(ids))
        mask = real[:, None, None, : at + t]
        if t > 1:
            mask = mask & torch.ones(t, at + t, dtype=torch.bool, device=ids.device).tril(at)
            mask = mask | torch.eye(t, at + t, dtype=torch.bool, device=ids.device)  # padding sees itself, else it sees nothing
        for i, layer in enumerate(self.layers):
            x = layer(x, turn, mask, cache[i] if cache is not None else None, at)
        return norm(x, self.last, self.least)

    def score(self, states):
        return F.linear(states, self.words.weight.to(states.dtype))

    @torch.no_grad()
    def write(self, prompts, most, end, hot=0.0, least=0.0):
        """What follows each prompt (lists of ids), the logarithm of its likelihood, and whether it ends.

        hot is the temperature; nothing is drawn that is less likely than a share of the likeliest.
        """
        dev, b = self.last.device, len(prompts)
        width = max(map(len, prompts))
        ids = torch.zeros(b, width + most, dtype=torch.long)
        real = torch.zeros(b, width + most, dtype=torch.bool)
        for i, p in enumerate(prompts):
            ids[i, width - len(p) : width] = torch.tensor(p)
            real[i, width - len(p) :] = True
        ids, real = ids.to(dev), real.to(dev)
        dtype = self.kind(ids)
        kv = self.layers[0].kv
        cache = [torch.zeros(2, b, kv, width + most, self.size, device=dev, dtype=dtype) for _ in self.layers]
        states = self(ids[:, :width], real, cache)[:, -1]
        done, logs = torch.zeros(b, dtype=torch.bool, device=dev), torch.zeros(b, device=dev)
        for k in range(most):
            p = self.score(states).float().log_softmax(-1)
            if hot > 0:
                floor = p.max(-1, keepdim=True).values + math.log(max(least, 1e-9))
                drawn = p / hot - torch.empty_like(p).exponential_().log_()
                symbol = drawn.masked_fill_(p < floor, -math.inf).argmax(-1)
            else:
                symbol = p.argmax(-1)
            logs += torch.where(done, 0, p.gather(1, symbol[:, None])[:, 0])
            symbol = torch.where(done, end, symbol)
            ids[:, width + k] = symbol
            done |= symbol == end
            if k % 8 == 7 and done.all() or k == most - 1:
                break
            states = self(symbol[:, None], real, cache, width + k)[:, -1]
        out = ids[:, width : width + k + 1].tolist()
        return [o[: o.index(end)] if end in o else o for o in out], logs.tolist(), done.tolist()


def tokenizer(gguf):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    v = gguf.values
    words = v["tokenizer.ggml.tokens"]
    merges = [tuple(m.split(" ")) for m in v["tokenizer.ggml.merges"]]
    t = Tokenizer(models.BPE({w: i for i, w in enumerate(words)}, merges))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.decoder = decoders.ByteLevel()
    return t


def open_model(pieces):
    gguf = Gguf(pieces)
    return Llama(gguf), tokenizer(gguf)
