"""Writes reference.json: tokens and vectors of sentences by numpy and the public tokenizer, from the published weights.

python3 reference.py DIR > reference.json   DIR has model.safetensors and vocab.txt; needs numpy, scipy, tokenizers
"""
import json
import struct
import sys

import numpy as np
from scipy.special import erf
from tokenizers import BertWordPieceTokenizer

SENTENCES = [
    "That was perfect!", "Good, but a bit slow", "That's not quite right", "No! Stop!", "What time is it?", "look at the red apple",
    "could you turn down the volume of your voice a little, please", "", "…", "café naïve Ünïcödé — “quotes”", "你好 世界", "antidisestablishmentarianism",
    "I said left, not right; the OTHER left!!", "x" * 120, "tab\tand\nline\x00null\u200bzero\ufffdwidth", "3.14 + 2,5 = $5.64 (approx.)",
    "well that was lovely but could you do it a bit slower next time because my grandmother could not follow you at all, and neither could I",
    "😀 great 👍🏽", "Straße İstanbul ﬁne ſoft", "word " * 200,
]


def main(directory):
    raw = open(directory + "/model.safetensors", "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    weights = {}
    for name, e in json.loads(raw[8:8 + size]).items():
        if name != "__metadata__" and e["dtype"] == "F32":
            lo, hi = e["data_offsets"]
            weights[name] = np.frombuffer(raw[8 + size + lo:8 + size + hi], dtype="<f4").reshape(e["shape"]).astype(np.float64)
    tokenizer = BertWordPieceTokenizer(directory + "/vocab.txt", lowercase=True)
    tokenizer.enable_truncation(128)
    out = []
    for text in SENTENCES:
        ids = tokenizer.encode(text).ids
        v = forward(weights, ids)
        out.append({"text": text, "ids": ids, "vector": [round(float(x), 4) for x in v]})
    print("[" + ",\n".join(json.dumps(o, separators=(",", ":")) for o in out) + "]")


def forward(t, ids):
    def norm(x, p):
        m = x.mean(-1, keepdims=True)
        return (x - m) / np.sqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-12) * t[p + ".weight"] + t[p + ".bias"]

    def linear(x, p):
        return x @ t[p + ".weight"].T + t[p + ".bias"]

    n = len(ids)
    e = "embeddings."
    x = t[e + "word_embeddings.weight"][ids] + t[e + "position_embeddings.weight"][:n] + t[e + "token_type_embeddings.weight"][0]
    x = norm(x, e + "LayerNorm")
    for i in range(6):
        p = f"encoder.layer.{i}."
        q, k, v = (linear(x, p + "attention.self." + s).reshape(n, 12, 32).transpose(1, 0, 2) for s in ("query", "key", "value"))
        a = q @ k.transpose(0, 2, 1) / np.sqrt(32)
        a = np.exp(a - a.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        x = norm(x + linear((a @ v).transpose(1, 0, 2).reshape(n, 384), p + "attention.output.dense"), p + "attention.output.LayerNorm")
        h = linear(x, p + "intermediate.dense")
        x = norm(x + linear(h / 2 * (1 + erf(h / np.sqrt(2))), p + "output.dense"), p + "output.LayerNorm")
    v = x.mean(0)
    return v / np.linalg.norm(v)


main(sys.argv[1])
