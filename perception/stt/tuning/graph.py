"""An ONNX graph in PyTorch, so that Kokoro speaks on a GPU. Integer products are done in float: what ONNX Runtime rounds on the way is not."""

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

import voices

KINDS = {1: torch.float32, 6: torch.int32, 7: torch.int64, 9: torch.bool}


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def together(*tensors):
    """On the GPU if one of them is: shapes are worked out on the CPU."""
    if any(t.is_cuda for t in tensors):
        return [t if t.is_cuda else t.cuda() for t in tensors]
    return tensors


def ints(t):
    return t.flatten().tolist()


def reshape(x, shape, allowzero=0):
    return x.reshape(tuple(x.shape[i] if n == 0 and not allowzero else n for i, n in enumerate(ints(shape))))


def gather(x, at, axis=0):
    if x.dim() == 1 and not x.is_cuda:
        return x[at.cpu()]
    at = at.to(x.device)
    return x.index_select(axis, at.flatten() % x.shape[axis]).reshape((*x.shape[:axis], *at.shape, *x.shape[axis + 1:]))


def cut(x, starts, ends, axes=None, steps=None):
    starts, ends = ints(starts), ints(ends)
    for a, b, axis, step in zip(starts, ends, ints(axes) if axes is not None else range(len(starts)), ints(steps) if steps is not None else [1] * len(starts)):
        if step < 0:
            x, step, a, b = x.flip(axis), -step, x.shape[axis] - 1 - a if a >= 0 else -a - 1, x.shape[axis]
        x = x[(slice(None),) * (axis % x.dim()) + (slice(a, min(b, x.shape[axis]), step),)]
    return x


def resize(x, _, scales=None, sizes=None, mode=b"nearest", **_unused):
    how = dict(mode=mode.decode(), **(dict(align_corners=False) if mode == b"linear" else {}))
    if sizes is not None and sizes.numel():
        return F.interpolate(x, size=ints(sizes)[2:], **how)
    return F.interpolate(x, scale_factor=scales.tolist()[2:], **how)


def pad(x, pads, value=None, axes=None, mode=b"constant"):
    p, n = ints(pads), x.dim()
    flat = [v for i in reversed(range(n)) for v in (p[i], p[i + n])]
    while flat and not any(flat[-2:]):
        flat = flat[:-2]
    if mode == b"reflect":
        y = F.pad(x.reshape(1, -1, x.shape[-1]), flat, "reflect")
        return y.reshape((*x.shape[:-1], y.shape[-1]))
    return F.pad(x, flat, value=float(value) if value is not None else 0)


def stft(x, step, window, length=None, onesided=1):
    frames = x.reshape(x.shape[0], -1).unfold(1, int(window.numel()), int(step)) * window
    return torch.view_as_real(torch.fft.rfft(frames))


def scatter(data, at, values, **_unused):
    data, at, values = together(data.clone(), at, values)
    data[tuple(at.unbind(-1))] = values.to(data.dtype)
    return data


def sides(pads):
    if len(pads) and list(pads[:len(pads) // 2]) != list(pads[len(pads) // 2:]):
        raise ValueError("padding of two sizes")
    return list(pads[:len(pads) // 2])


def conv(x, w, b=None, strides=(1,), pads=(0, 0), dilations=(1,), group=1, **_unused):
    return F.conv1d(x, w, b, strides[0], sides(pads)[0], dilations[0], group)


def transposed(x, w, b=None, strides=(1,), pads=(0, 0), dilations=(1,), output_padding=(0,), group=1, **_unused):
    return F.conv_transpose1d(x, w, b, strides[0], sides(pads)[0], output_padding[0], group, dilations[0])


def norm(x, gamma, beta, epsilon=1e-5, **_unused):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, epsilon)


def mean(x, axes=None, keepdims=1, **_unused):
    return x.mean(ints(axes), keepdim=bool(keepdims)) if axes is not None else x.mean()


def total(x, axes=None, keepdims=1, **_unused):
    return x.sum(ints(axes), keepdim=bool(keepdims)) if axes is not None else x.sum()


def squeeze(x, axes=None):
    for a in sorted((a % x.dim() for a in ints(axes)), reverse=True) if axes is not None else ():
        x = x.squeeze(a)
    return x if axes is not None else x.squeeze()


def unsqueeze(x, axes):
    for a in sorted(a % (x.dim() + axes.numel()) for a in ints(axes)):
        x = x.unsqueeze(a)
    return x


def pair(f):
    return lambda a, b: f(*together(a, b))


def divide(a, b):
    return torch.div(a, b, rounding_mode=None if a.is_floating_point() else "trunc")


OPS = {
    "Add": pair(torch.add), "Sub": pair(torch.sub), "Mul": pair(torch.mul), "Div": pair(divide), "Pow": pair(torch.pow), "And": pair(torch.logical_and),
    "Equal": pair(torch.eq), "Greater": pair(torch.gt), "GreaterOrEqual": pair(torch.ge), "Less": pair(torch.lt), "MatMul": pair(torch.matmul),
    "Atan": lambda x: x.nan_to_num().atan(), "Cos": torch.cos, "Exp": torch.exp, "Floor": torch.floor, "Round": torch.round, "Sigmoid": torch.sigmoid, "Sin": torch.sin,
    "Sqrt": torch.sqrt, "Tanh": torch.tanh, "Reshape": reshape, "Gather": gather, "Slice": cut, "Resize": resize, "Pad": pad, "STFT": stft,
    "ScatterND": scatter, "Conv": conv, "ConvTranspose": transposed, "LayerNormalization": norm, "ReduceMean": mean, "ReduceSum": total,
    "Squeeze": squeeze, "Unsqueeze": unsqueeze,
    "Cast": lambda x, to, **_: x.to(KINDS[to]),
    "Clip": lambda x, low=None, high=None: x.clamp(float(low) if low is not None else None, float(high) if high is not None else None),
    "Concat": lambda *x, axis: torch.cat(together(*x), axis),
    "ConstantOfShape": lambda shape, value: torch.full(ints(shape), numpy_helper.to_array(value).item(), dtype=KINDS[value.data_type]),
    "ConvInteger": lambda x, w, xz=None, wz=None, **how: conv(x, w, **how),
    "CumSum": lambda x, axis, **_: x.cumsum(int(axis)),
    "DequantizeLinear": lambda x, scale, zero=None, **_: x * scale,
    "Expand": lambda x, shape: x.broadcast_to(torch.broadcast_shapes(x.shape, ints(shape))),
    "FastGelu": lambda x, b=None: F.gelu(x if b is None else x + b, approximate="tanh"),
    "FusedMatMul": lambda a, b, transA=0, transB=0, alpha=1.0, **_: alpha * torch.matmul(a.mT if transA else a, b.mT if transB else b),
    "LeakyRelu": lambda x, alpha: F.leaky_relu(x, alpha),
    "MatMulInteger": lambda x, w, xz=None, wz=None: torch.matmul(*together(x, w)),
    "NonZero": lambda x: torch.nonzero(x).T,
    "Range": lambda a, b, step: torch.arange(a.item(), b.item(), step.item()),
    "Shape": lambda x, **_: torch.tensor(x.shape),
    "SkipLayerNormalization": lambda x, skip, gamma, beta, bias=None, epsilon=1e-12: norm(x + skip + (0 if bias is None else bias), gamma, beta, epsilon),
    "Softmax": lambda x, axis: x.softmax(axis),
    "Split": lambda x, sizes, axis: x.split(ints(sizes), axis),
    "Transpose": lambda x, perm: x.permute(perm),
    "Where": lambda c, a, b: torch.where(*together(c, a, b)),
}


class Recurrent:
    """DynamicQuantizeLSTM, both ways."""

    def __init__(self, w, r, b, wscale, rscale, hidden, device):
        w, r = w * wscale.reshape(2, 1, -1), r * rscale.reshape(2, 1, -1)
        order = torch.cat([torch.arange(k * hidden, (k + 1) * hidden) for k in (0, 2, 3, 1)])  # i o f c → i f c o
        self.net = torch.nn.LSTM(w.shape[1], hidden, bidirectional=True)
        for d, name in enumerate(("l0", "l0_reverse")):
            bw, br = b[d].view(2, -1)
            for part, m in (("weight_ih", w[d].T), ("weight_hh", r[d].T), ("bias_ih", bw), ("bias_hh", br)):
                getattr(self.net, f"{part}_{name}").data = m[order].contiguous()
        self.net.to(device).flatten_parameters()
        self.hidden = hidden

    def __call__(self, x):
        y, (h, c) = self.net(x)
        return y.reshape(x.shape[0], x.shape[1], 2, self.hidden).transpose(1, 2), h, c


class Graph:
    def __init__(self, path, device):
        graph = onnx.load(path).graph
        arrays = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        zero = {}  # the zero point of a weight belongs to its integer products: it is taken off here
        for n in graph.node:
            i = list(n.input)
            if n.op_type in ("MatMulInteger", "ConvInteger") and i[1] in arrays:
                zero[i[1]] = arrays[i[3]] if len(i) > 3 else np.uint8(0)
            if n.op_type == "DynamicQuantizeLSTM":
                zero[i[1]], zero[i[2]] = arrays[i[9]], arrays[i[11]]
            if n.op_type == "DequantizeLinear" and i[0] in arrays:
                zero[i[0]] = arrays[i[2]]
        self.device, known = device, {"": None}
        for name, a in arrays.items():
            if name in zero:
                z = zero[name].astype(np.float32)
                a = a.astype(np.float32) - (z.reshape(len(a), 1, -1) if a.ndim == 3 and z.size > 1 else z)
            t = torch.from_numpy(np.array(a))
            known[name] = t.to(device) if t.is_floating_point() and t.numel() > 1 else t
        self.steps = []
        for n in graph.node:
            f, how, used = OPS.get(n.op_type), attributes(n), list(n.input)
            if n.op_type == "DynamicQuantizeLinear":  # left as it is
                known[n.output[1]], known[n.output[2]] = torch.tensor(1.0), torch.tensor(0)
                f, used = lambda x: x, used[:1]
            elif n.op_type == "DequantizeLinear" and used[0] not in arrays:  # of rows that were gathered
                source = next(m for m in graph.node if used[0] in m.output)
                known[source.input[0]] = (known[source.input[0]].float() - float(known[used[2]])).to(device)
            elif n.op_type == "DynamicQuantizeLSTM":
                w, r, b, ws, rs = (known[used[k]].cpu() for k in (1, 2, 3, 8, 10))
                f, used, how = Recurrent(w, r, b, ws, rs, how["hidden_size"], device), used[:1], {}
            if f is None:
                raise ValueError("no operation " + n.op_type)
            if n.op_type != "DynamicQuantizeLinear" and all(i in known for i in used):
                out = f(*[known[i] for i in used], **how)
                for name, t in zip(n.output, out if isinstance(out, (tuple, list)) else (out,)):
                    known[name] = t
            else:
                self.steps.append((f, used, how, list(n.output), n.op_type))
        last = {i: k for k, (_, used, _, _, _) in enumerate(self.steps) for i in used}
        self.known, self.out = known, graph.output[0].name
        self.free = [[i for i in set(used) if last[i] == k and i not in known] for k, (_, used, _, _, _) in enumerate(self.steps)]

    @torch.inference_mode()
    def run(self, _, inputs):
        """As a session of ONNX Runtime."""
        v = {k: torch.from_numpy(a).to(self.device) for k, a in inputs.items()}
        known = self.known
        for (f, used, how, names, kind), free in zip(self.steps, self.free):
            out = f(*[known[i] if i in known else v[i] for i in used], **how)
            if isinstance(out, (tuple, list)):
                v.update(zip(names, out))
            else:
                v[names[0]] = out
            for i in free:
                del v[i]
        return [v[self.out].float().cpu().numpy()]


def opened(path):
    """On the GPU if there is one, else by ONNX Runtime."""
    return Graph(path, "cuda") if torch.cuda.is_available() else voices.session(path)
