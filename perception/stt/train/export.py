"""Checkpoint → the file that whisper.cpp loads, gzipped, and the list of commands:
export.py CHECKPOINT FOLDER

Nearly all of its 51 864 tokens are unused, because whisper.cpp numbers the special tokens from the end of an English vocabulary;
their rows of the embedding are all alike, so gzip makes nothing of them.
"""

import gzip
import struct
import sys

import numpy as np
import torch

import data
import model

VOCABULARY, END, START, PLAIN = 51864, 50256, 50257, 50362
NEVER = -30  # the logit of a token that is no word of ours


def tensors(state, config):
    """(name, array, half) of every tensor, shapes as in the file but slowest index first."""
    embedding = torch.zeros(VOCABULARY, config["width"])
    embedding[:, 0] = NEVER
    own = state["tokens"] * state["used"]
    embedding[: config["words"]] = own[: config["words"]]
    for token, row in ((END, data.END), (START, data.START), (PLAIN, data.PLAIN)):
        embedding[token] = own[row]
    used = state["used"]
    yield "encoder.positional_embedding", state["positions"], False
    for c in ("conv1", "conv2"):
        yield f"encoder.{c}.weight", state[c + ".weight"], True
        yield f"encoder.{c}.bias", state[c + ".bias"][:, None], False
    yield "encoder.ln_post.weight", state["ln_post.weight"], False
    yield "encoder.ln_post.bias", state["ln_post.bias"], False
    yield "decoder.positional_embedding", state["text_positions"], False
    yield "decoder.token_embedding.weight", embedding, True
    yield "decoder.ln.weight", state["ln.weight"] * used, False
    yield "decoder.ln.bias", state["ln.bias"] * used + (1 - used), False
    for name, value in state.items():
        side, _, rest = name.partition(".")
        if side in ("encoder", "decoder"):
            yield f"{side}.blocks.{rest}", value, value.dim() == 2


def load(path):
    """What an exported file holds → (config, state) for model.Model; what helps only in training is not in it."""
    b = gzip.open(path).read()
    head = struct.unpack_from("<12i", b)
    at = 48
    bands, bins = struct.unpack_from("<2i", b, at)
    at += 8 + 4 * bands * bins
    (words,) = struct.unpack_from("<i", b, at)
    at += 4
    for _ in range(words):
        at += 4 + struct.unpack_from("<i", b, at)[0]
    read = {}
    while at < len(b):
        dims, length, half = struct.unpack_from("<3i", b, at)
        shape = struct.unpack_from(f"<{dims}i", b, at + 12)[::-1]
        at += 12 + 4 * dims
        name, at = b[at:at + length].decode(), at + length
        kind = np.dtype("<f2" if half else "<f4")
        n = int(np.prod(shape))
        read[name] = torch.from_numpy(np.frombuffer(b, kind, n, at).reshape(shape).astype(np.float32))
        at += n * kind.itemsize
    config = dict(words=len(data.WORDS), phones=len(data.PHONES) + 2, classes=len(data.CLASSES), width=head[3], heads=head[4], encoder=head[5], text=head[6], decoder=head[9])
    state, rows = model.Model(**config).state_dict(), read.pop("decoder.token_embedding.weight")
    state["positions"], state["text_positions"] = read.pop("encoder.positional_embedding"), read.pop("decoder.positional_embedding")
    state["tokens"] = torch.cat([rows[:config["words"]], rows[[t for t, _ in sorted(((END, data.END), (START, data.START), (PLAIN, data.PLAIN)), key=lambda p: p[1])]]])
    for name, value in read.items():
        if name.startswith("decoder.ln."):
            state[name.removeprefix("decoder.")] = value
        elif name.startswith(("encoder.conv", "encoder.ln_post")):
            name = name.removeprefix("encoder.")
            state[name] = value.reshape(state[name].shape)
        else:
            state[name.replace(".blocks.", ".")] = value
    state["ln.weight"][0], state["ln.bias"][0] = 1, 0  # the channel that no word uses
    return config, state


def main():
    checkpoint, out = sys.argv[1:3]
    c = torch.load(checkpoint, map_location="cpu")
    k = c["config"]
    parts = []

    def ints(*v):
        parts.append(struct.pack(f"<{len(v)}i", *v))

    ints(0x67676D6C, VOCABULARY, model.WINDOW, k["width"], k["heads"], k["encoder"], k["text"], k["width"], k["heads"], k["decoder"], 80, 1)
    ints(80, 201)
    parts.append(model.mel_filters().numpy().astype("<f4").tobytes())
    words = [(" " + w).encode() for w in c["words"]] + [b" "]  # whisper.cpp looks the blank up
    ints(len(words))
    for w in words:
        ints(len(w))
        parts.append(w)
    for name, value, half in tensors(c["mean"], k):
        a = value.detach().numpy()
        ints(a.ndim, len(name), int(half), *a.shape[::-1])
        parts.append(name.encode())
        parts.append(np.ascontiguousarray(a).astype("<f2" if half else "<f4").tobytes())
    raw = b"".join(parts)
    packed = gzip.compress(raw, 9, mtime=0)
    with open(out + "/command-model.bin.gz", "wb") as f:
        f.write(packed)
    with open(out + "/commands.txt", "w") as f:
        f.write("\n".join(data.phrases.COMMANDS) + "\n")
    print(f"{out}/command-model.bin.gz: {len(packed) / 1e6:.2f} MB, {len(raw) / 1e6:.1f} MB unpacked, {c['step']} steps, {c['used'] / 60:.0f} minutes of training")


if __name__ == "__main__":
    main()
