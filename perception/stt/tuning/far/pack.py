"""Weights → a small file, for a machine that is far: pack.py kokoro ONNX STEP OUT | pack.py styles DIR OUT | pack.py whisper GGML OUT

Kokoro with STEP 2 loses a bit of eight and takes 40 MB, as the entropy of its weights is 3.6 bits then. Of Whisper's tokens those that no text has are kept in 5 bits: 32 MB."""
import os, pickle, sys, zlib
import numpy as np

def squeeze(b):
    c = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
    return c.compress(b) + c.flush()

def put_int(a, zero, step):
    k = a.astype(np.int16) - int(zero)
    return ("int", a.shape, a.dtype.str, int(zero), step, squeeze(np.rint(k / step).astype(np.int8 if step > 1 else np.int16).tobytes()))

def put_float(a, bits=8, block=None):
    """Blocks of a row share a scale; as many as bits say of steps up to the largest."""
    a = np.asarray(a, dtype=np.float32)
    rows = a.reshape(a.shape[0], -1)
    if block and rows.shape[1] % block == 0:
        rows = rows.reshape(-1, block)
    top = 2 ** (bits - 1) - 1
    s = (np.abs(rows).max(1, keepdims=True) / top + 1e-12).astype(np.float16).astype(np.float32)
    s = np.maximum(s, np.float32(6e-8))
    q = np.clip(np.rint(rows / s), -127, 127).astype(np.int8)
    return ("float", a.shape, rows.shape, zlib.compress(s.astype(np.float16).tobytes(), 9), squeeze(q.tobytes()))

def put_half(a):
    a = np.asarray(a, dtype=np.float32)
    return ("half", a.shape, zlib.compress(a.astype(np.float16).tobytes(), 9))

def put_raw(a):
    return ("raw", a.shape, a.dtype.str, zlib.compress(np.ascontiguousarray(a).tobytes(), 9))

def get(p):
    if p[0] == "int":
        _, shape, kind, zero, step, b = p
        k = np.frombuffer(zlib.decompress(b), dtype=np.int8 if step > 1 else np.int16).astype(np.int16)
        info = np.iinfo(np.dtype(kind))
        return np.clip(k * step + zero, info.min, info.max).astype(kind).reshape(shape)
    if p[0] == "float":
        _, shape, rows, s, b = p
        return (np.frombuffer(zlib.decompress(b), dtype=np.int8).reshape(rows) * np.frombuffer(zlib.decompress(s), dtype=np.float16).astype(np.float32)[:, None]).reshape(shape)
    if p[0] == "half":
        return np.frombuffer(zlib.decompress(p[2]), dtype=np.float16).astype(np.float32).reshape(p[1])
    return np.frombuffer(zlib.decompress(p[3]), dtype=p[2]).reshape(p[1])

def save(d, out):
    with open(out, "wb") as f:
        pickle.dump(d, f)
    print(out, os.path.getsize(out) / 1e6, "MB")

def load(path):
    return {k: get(v) for k, v in pickle.load(open(path, "rb")).items()}

def kokoro(path, step, out):
    import onnx
    from onnx import numpy_helper
    m = onnx.load(path)
    arrays = {t.name: numpy_helper.to_array(t) for t in m.graph.initializer}
    zero = {}
    for n in m.graph.node:
        i = list(n.input)
        if n.op_type in ("MatMulInteger", "ConvInteger") and i[1] in arrays: zero[i[1]] = arrays[i[3]] if len(i) > 3 else 0
        if n.op_type == "DynamicQuantizeLSTM": zero[i[1]], zero[i[2]] = arrays[i[9]], arrays[i[11]]
    d = {}
    for name, a in arrays.items():
        if a.dtype in (np.int8, np.uint8) and a.size > 1000:
            z = np.atleast_1d(zero.get(name, 0)).ravel()
            d[name] = put_int(a, z[0], step if name in zero and (z == z[0]).all() else 1)
        elif a.dtype == np.float32 and a.size > 20000: d[name] = put_float(a)
        else: d[name] = put_raw(a)
    for t in m.graph.initializer:
        t.ClearField("raw_data"); t.ClearField("float_data"); t.ClearField("int32_data"); t.ClearField("int64_data")
    d[""] = put_raw(np.frombuffer(m.SerializeToString(), dtype=np.uint8))
    save(d, out)

def styles(folder, out):
    d = {f[:-4]: put_half(np.fromfile(folder + "/" + f, dtype="<f4").reshape(-1, 256)[:160:6]) for f in sorted(os.listdir(folder)) if f.endswith(".bin")}
    save(d, out)

def whisper(path, out):
    import net
    import texts
    f = net.File(path)
    tokens, used = net.Tokens(f.words), set(range(2000)) | set(range(net.END, f.header["vocabulary"]))
    for which in ("train", "validation"):
        t = texts.Texts(which)
        for said in t.robot + t.other + t.prose + t.commands:
            used.update(tokens.encode(" " + texts.written(said)))
    d = {"header": put_raw(np.array(list(f.header.values()))), "filters": put_raw(f.filters.numpy())}
    words = [len(w) for w in f.words]
    d["words"], d["lengths"] = put_raw(np.frombuffer(b"".join(f.words), dtype=np.uint8)), put_raw(np.array(words, dtype=np.uint16))
    for name, t in f.tensors.items():
        a = t.numpy()
        if name == "decoder.token_embedding.weight":
            rows = np.array(sorted(used))
            rest = np.array([i for i in range(len(a)) if i not in used])
            d["rows"] = put_raw(rows)
            d["embedding.used"], d["embedding.rest"] = put_float(a[rows], 8, 32), put_float(a[rest], 5, 32)
        elif name == "encoder.positional_embedding": d[name] = put_half(a[:770])
        elif name == "decoder.positional_embedding": d[name] = put_half(a[:130])
        elif a.size > 20000 and "conv" not in name: d[name] = put_float(a, 8, 32)
        elif a.size > 20000: d[name] = put_half(a)
        else: d[name] = put_raw(a)
    save(d, out)

if __name__ == "__main__":
    k = sys.argv[1]
    if k == "kokoro": kokoro(sys.argv[2], float(sys.argv[3]), sys.argv[4])
    if k == "styles": styles(sys.argv[2], sys.argv[3])
    if k == "whisper": whisper(*sys.argv[2:4])
