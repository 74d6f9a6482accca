"""A small part of numpy in plain Python, for tools that calculate with a few vectors: arrays of numbers of one or two
dimensions, arithmetic with broadcasting of scalars and rows, reductions, dot, and linalg.norm. Not here: dtypes, views,
slices with steps, random, fft. What is missing raises AttributeError."""
import builtins
import math
import operator
import types

pi, e, inf, nan = math.pi, math.e, math.inf, math.nan
float64 = float32 = float
int64 = int32 = int


class ndarray:
    """Numbers in rows. Operations make new arrays."""

    __slots__ = ("_rows",)

    def __init__(self, rows):
        self._rows = rows

    @property
    def shape(self):
        rows = self._rows
        return (len(rows), len(rows[0])) if rows and isinstance(rows[0], list) else (len(rows),)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def T(self):
        return self if self.ndim == 1 else ndarray([list(c) for c in zip(*self._rows)])

    def tolist(self):
        return [list(r) for r in self._rows] if self.ndim == 2 else list(self._rows)

    def copy(self):
        return ndarray(self.tolist())

    def astype(self, kind):
        return _map(kind, self)

    def flatten(self):
        return ndarray(_flat(self))

    def reshape(self, *shape):
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        flat = _flat(self)
        if len(shape) > 2 or shape.count(-1) > 1:
            raise ValueError(f"cannot reshape into {shape}")
        if -1 in shape:
            known = -math.prod(shape) or 1
            shape = tuple(len(flat) // known if n == -1 else n for n in shape)
        if math.prod(shape) != len(flat):
            raise ValueError(f"cannot reshape array of size {len(flat)} into shape {shape}")
        return ndarray(flat if len(shape) == 1 else [flat[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])])

    def __len__(self):
        return len(self._rows)

    def __iter__(self):
        return (ndarray(r) if isinstance(r, list) else r for r in self._rows)

    def __getitem__(self, key):
        if isinstance(key, tuple):
            row, column = key
            if isinstance(row, slice):
                return ndarray([ndarray(r)[column] if isinstance(column, int) else r[column] for r in self._rows[row]])
            return self[row][column]
        if isinstance(key, ndarray):
            return ndarray([v for v, keep in zip(self._rows, key._rows) if keep])
        v = self._rows[key]
        return ndarray(v) if isinstance(v, list) else v

    def __setitem__(self, key, value):
        if isinstance(key, tuple):
            self._rows[key[0]][key[1]] = value
        else:
            self._rows[key] = value.tolist() if isinstance(value, ndarray) else value

    def __repr__(self):
        return f"array({self.tolist()})"

    def __bool__(self):
        if self.size != 1:
            raise ValueError("the truth value of an array with more than one element is ambiguous")
        return bool(_flat(self)[0])

    def __float__(self):
        return float(item(self))

    def item(self):
        return item(self)

    def __matmul__(self, other):
        return dot(self, other)

    def __neg__(self):
        return _map(operator.neg, self)

    def __abs__(self):
        return _map(builtins.abs, self)

    __hash__ = None


def item(a):
    flat = _flat(a)
    if len(flat) != 1:
        raise ValueError("can only convert an array of size 1 to a scalar")
    return flat[0]


def _flat(a):
    return [v for r in a._rows for v in r] if a.ndim == 2 else list(a._rows)


def _map(f, a):
    a = asarray(a)
    if not isinstance(a, ndarray):
        return f(a)
    return ndarray([[f(v) for v in r] for r in a._rows] if a.ndim == 2 else [f(v) for v in a._rows])


def _pair(f, a, b):
    a, b = asarray(a), asarray(b)
    if not isinstance(a, ndarray) and not isinstance(b, ndarray):
        return f(a, b)
    if not isinstance(b, ndarray):
        return _map(lambda v: f(v, b), a)
    if not isinstance(a, ndarray):
        return _map(lambda v: f(a, v), b)
    if a.ndim == b.ndim:
        if a.shape != b.shape:
            raise ValueError(f"operands could not be broadcast together with shapes {a.shape} {b.shape}")
        if a.ndim == 1:
            return ndarray([f(x, y) for x, y in zip(a._rows, b._rows)])
        return ndarray([[f(x, y) for x, y in zip(r, s)] for r, s in zip(a._rows, b._rows)])
    if a.ndim == 2:
        return ndarray([_pair(f, ndarray(r), b)._rows for r in a._rows])
    return ndarray([_pair(f, a, ndarray(r))._rows for r in b._rows])


def _operators():
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        f = getattr(operator, name)
        setattr(ndarray, f"__{name}__", lambda self, other, f=f: _pair(f, self, other))
        setattr(ndarray, f"__r{name}__", lambda self, other, f=f: _pair(f, other, self))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(ndarray, f"__{name}__", lambda self, other, f=getattr(operator, name): _pair(f, self, other))
    for name in ("sum", "mean", "min", "max", "std", "var", "argmax", "argmin", "any", "all", "dot", "round", "clip"):
        setattr(ndarray, name, lambda self, *args, name=name, **kwargs: globals()[name](self, *args, **kwargs))


def asarray(a, dtype=None):
    if isinstance(a, (ndarray, int, float, complex)):
        return a if dtype is None or not isinstance(a, ndarray) else a.astype(dtype)
    return array(a, dtype)


def array(a, dtype=None):
    if isinstance(a, ndarray):
        return a.copy() if dtype is None else a.astype(dtype)
    rows = [r.tolist() if isinstance(r, ndarray) else list(r) if isinstance(r, (list, tuple, range)) else r for r in a]
    nested = [isinstance(r, list) for r in rows]
    if builtins.any(nested) and (not builtins.all(nested) or len({len(r) for r in rows}) != 1):
        raise ValueError("the rows of an array must have the same length")
    for v in (v for r in rows for v in (r if isinstance(r, list) else [r])):
        if not isinstance(v, (int, float)):
            raise TypeError(f"an array holds numbers, not {type(v).__name__}; at most two dimensions")
    result = ndarray(rows)
    return result if dtype is None else result.astype(dtype)


def full(shape, value):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return ndarray([value] * shape[0] if len(shape) == 1 else [[value] * shape[1] for _ in range(shape[0])])


def zeros(shape, dtype=float):
    return full(shape, dtype(0))


def ones(shape, dtype=float):
    return full(shape, dtype(1))


def eye(n):
    return ndarray([[float(i == j) for j in range(n)] for i in range(n)])


def arange(*args):
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return ndarray([start + i * step for i in range(builtins.max(0, math.ceil((stop - start) / step)))])


def linspace(start, stop, num=50):
    return ndarray([start + (stop - start) * i / (num - 1) if num > 1 else float(start) for i in range(num)])


def _reduce(f):
    def reduced(a, axis=None):
        a = asarray(a)
        if axis is None or a.ndim == 1:
            return f(_flat(a))
        return ndarray([f(list(r)) for r in (zip(*a._rows) if axis == 0 else a._rows)])

    return reduced


def _mean(v):
    return math.fsum(v) / len(v) if v else nan


def _var(v):
    m = _mean(v)
    return _mean([(x - m) ** 2 for x in v])


sum, prod, min, max, any, all = map(_reduce, (builtins.sum, math.prod, builtins.min, builtins.max, builtins.any, builtins.all))
mean, var, std, median = map(_reduce, (_mean, _var, lambda v: math.sqrt(_var(v)), lambda v: (sorted(v)[(len(v) - 1) // 2] + sorted(v)[len(v) // 2]) / 2))
argmax, argmin = _reduce(lambda v: v.index(builtins.max(v))), _reduce(lambda v: v.index(builtins.min(v)))


def _elementwise(f):
    return lambda a: _map(f, a)


abs = absolute = _elementwise(builtins.abs)
sqrt, exp, log, log2, log10, sin, cos, tan, arcsin, arccos, arctan, floor, ceil, radians, degrees = map(
    _elementwise, (math.sqrt, math.exp, math.log, math.log2, math.log10, math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.floor, math.ceil, math.radians, math.degrees)
)
deg2rad, rad2deg, square, sign = radians, degrees, _elementwise(lambda v: v * v), _elementwise(lambda v: (v > 0) - (v < 0))
isnan, isfinite, isinf = map(_elementwise, (math.isnan, math.isfinite, math.isinf))


def arctan2(a, b):
    return _pair(math.atan2, a, b)


def maximum(a, b):
    return _pair(builtins.max, a, b)


def minimum(a, b):
    return _pair(builtins.min, a, b)


def power(a, b):
    return _pair(operator.pow, a, b)


def subtract(a, b):
    return _pair(operator.sub, a, b)


def round(a, decimals=0):
    return _map(lambda v: builtins.round(v, decimals), a)


around = round


def clip(a, low, high):
    return _map(lambda v: builtins.min(builtins.max(v, low), high), a)


def where(condition, a, b):
    return ndarray([x if c else y for c, x, y in zip(condition, asarray(a), asarray(b))])


def cumsum(a):
    total, out = 0, []
    for v in _flat(asarray(a)):
        total += v
        out.append(total)
    return ndarray(out)


def diff(a):
    v = _flat(asarray(a))
    return ndarray([y - x for x, y in zip(v, v[1:])])


def sort(a):
    return ndarray(sorted(_flat(asarray(a))))


def concatenate(arrays):
    return array([v for a in arrays for v in asarray(a).tolist()])


def dot(a, b):
    a, b = asarray(a), asarray(b)
    if not isinstance(a, ndarray) or not isinstance(b, ndarray):
        return _pair(operator.mul, a, b)
    if a.shape[-1] != b.shape[0]:
        raise ValueError(f"shapes {a.shape} and {b.shape} do not go together")
    columns = [b._rows] if b.ndim == 1 else [list(c) for c in zip(*b._rows)]
    rows = [a._rows] if a.ndim == 1 else a._rows
    out = [[builtins.sum(x * y for x, y in zip(r, c)) for c in columns] for r in rows]
    if a.ndim == 1:
        return ndarray(out[0]) if b.ndim == 2 else out[0][0]
    return ndarray(out) if b.ndim == 2 else ndarray([r[0] for r in out])


matmul = dot


def cross(a, b):
    (ax, ay, az), (bx, by, bz) = asarray(a), asarray(b)
    return ndarray([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def allclose(a, b, rtol=1e-5, atol=1e-8):
    near = _pair(lambda x, y: builtins.abs(x - y) <= atol + rtol * builtins.abs(y), a, b)
    return builtins.all(_flat(near)) if isinstance(near, ndarray) else near


def _norm(v):
    return math.sqrt(math.fsum(x * x for x in v))


linalg = types.SimpleNamespace(norm=_reduce(_norm))
_operators()
