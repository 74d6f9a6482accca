"""The part of numpy that tools need, in plain Python: see SUPPORTED. Everything else raises NotImplementedError.

Arrays have up to 4 dimensions, are kept flat in array.array or bytearray, and slices of them are views, as usual.
Numbers that come out of arrays are float64 and int64, which are Python's float and int with .item() and .dtype.
Not as in numpy: numbers (not arrays) of integer types never overflow, there are no warnings, no complex numbers, no
arrays of strings or objects.
"""
import array as _array
import builtins as _py
import math as _math
import operator as _op
import random as _random
import sys as _sys
import types as _types
from itertools import accumulate as _accumulate

__version__ = "2.0+subset"
pi, e, inf, nan, newaxis, euler_gamma = _math.pi, _math.e, _math.inf, _math.nan, None, 0.5772156649015329
MAX_DIMENSIONS = 4
MAX_SIZE = 4_000_000


class Unsupported(NotImplementedError, AttributeError):
    """The real numpy has this and the one of the sandbox does not."""


class AxisError(ValueError, IndexError):
    pass


class LinAlgError(ValueError):
    pass


def _unsupported(what):
    return Unsupported(f"{what} is not part of the sandbox's numpy; supported are: {', '.join(SUPPORTED)}")


# --- types -----------------------------------------------------------------------------------------------------------

class _Scalar:
    __slots__ = ()
    shape, ndim, size, T = (), 0, 1, property(lambda self: self)

    def item(self):
        return self._python(self)

    tolist = item

    def astype(self, kind):
        return dtype(kind).scalar(self)

    def __repr__(self):
        return f"np.{type(self).__name__}({self._python(self)!r})"

    def __str__(self):
        return repr(self._python(self))


class generic:
    pass


class number(generic):
    pass


class integer(_Scalar, int, number):
    _python = int
    min = max = property(lambda self: lambda: self)

    def __format__(self, spec):
        return int.__format__(self, spec)


class floating(_Scalar, float, number):
    _python = float

    def __format__(self, spec):
        return float.__format__(self, spec)

    def __truediv__(self, other):
        return _scalar_divide(self, other) if isinstance(other, (int, float)) else NotImplemented

    def __rtruediv__(self, other):
        return _scalar_divide(other, self) if isinstance(other, (int, float)) else NotImplemented

    def round(self, decimals=0):
        return type(self)(_py.round(float(self), decimals))


class signedinteger(integer): pass
class unsignedinteger(integer): pass
class int8(signedinteger): pass
class int16(signedinteger): pass
class int32(signedinteger): pass
class int64(signedinteger): pass
class uint8(unsignedinteger): pass
class uint16(unsignedinteger): pass
class uint32(unsignedinteger): pass
class float32(floating): pass
class float64(floating): pass


class bool_(generic):
    def __new__(cls, value=False):
        return _py.bool(value)


intp = int_ = int64
uint = uint32
float_ = double = float64
single = float32
byte, ubyte = int8, uint8


def _scalar_divide(a, b):
    return float64(_divide(float(a), float(b)))


class dtype:
    """The type of an array's elements."""

    __slots__ = ("name", "code", "kind", "itemsize", "type", "low", "span")
    known = {}

    def __new__(cls, what=None):
        if isinstance(what, dtype):
            return what
        if what is None or what is float:
            return cls.known["float64"]
        if what is int:
            return cls.known["int64"]
        if what is _py.bool:
            return cls.known["bool"]
        name = what if isinstance(what, str) else getattr(what, "__name__", str(what))
        name = {"bool_": "bool", "int": "int64", "float": "float64", "float16": "float32", "double": "float64", "u1": "uint8", "i4": "int32", "i8": "int64", "f4": "float32", "f8": "float64"}.get(name.lstrip("<=|"), name)
        if name not in cls.known:
            raise Unsupported(f"dtype {name!r} is not part of the sandbox's numpy; supported are: {', '.join(cls.known)}")
        return cls.known[name]

    def __eq__(self, other):
        try:
            return self is dtype(other)
        except NotImplementedError:
            return False

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name

    def scalar(self, value):
        """One element as a number."""
        if self.kind == "b":
            return _py.bool(value)
        if self.kind == "f":
            return self.type(value)
        return self.type(self.wrap(value))

    def wrap(self, value):
        if isinstance(value, float) and not _math.isfinite(value):
            value = 0
        return (int(value) - self.low) % self.span + self.low

    def pack(self, values):
        """Elements in memory, of an iterable that can be gone through twice."""
        if self.kind == "b":
            return bytearray(map(_py.bool, values))
        if isinstance(values, (bytearray, _array.array)):
            values = list(values)  # otherwise their memory is taken, not their elements
        if self.kind == "f":
            return _array.array(self.code, values)
        try:
            return bytearray(values) if self.code == "B" else _array.array(self.code, values)
        except (TypeError, OverflowError, ValueError):
            values = list(map(self.wrap, values))
            return bytearray(values) if self.code == "B" else _array.array(self.code, values)

    def filled(self, value, n):
        one = self.pack((value,))
        return one * n


def _define():
    for name, code, kind, size, cls in (
        ("bool", "B", "b", 1, bool_), ("uint8", "B", "u", 1, uint8), ("int8", "b", "i", 1, int8), ("int16", "h", "i", 2, int16), ("uint16", "H", "u", 2, uint16),
        ("int32", "i", "i", 4, int32), ("uint32", "I", "u", 4, uint32), ("int64", "q", "i", 8, int64), ("float32", "f", "f", 4, float32), ("float64", "d", "f", 8, float64),
    ):
        d = object.__new__(dtype)
        d.name, d.code, d.kind, d.itemsize, d.type = name, code, kind, size, cls
        d.span = 1 << (8 * size)
        d.low = -(d.span >> 1) if kind == "i" else 0
        dtype.known[name] = d
        if cls is not bool_:
            cls.dtype = d


_define()
_BOOL, _U8, _I64, _F32, _F64 = (dtype.known[n] for n in ("bool", "uint8", "int64", "float32", "float64"))
_RANK = {"b": 0, "u": 1, "i": 2, "f": 3}


def _promote(a, b):
    if a is b:
        return a
    if _RANK[a.kind] > _RANK[b.kind]:
        a, b = b, a
    if a.kind == "b":
        return b
    if b.kind == "f":
        return b if b.itemsize == 8 or a.itemsize <= (4 if a.kind == "f" else 2) else _F64
    if a.kind == b.kind:
        return a if a.itemsize > b.itemsize else b
    size = _py.max(b.itemsize, 2 * a.itemsize)
    return dtype.known[f"int{8 * size}"]


def _weak(d, value):
    """The type of an array of d combined with a plain number."""
    if isinstance(value, _Scalar):
        return _promote(d, type(value).dtype)
    if isinstance(value, _py.bool):
        return d
    if isinstance(value, float):
        return d if d.kind == "f" else _F64
    return _I64 if d.kind == "b" else d


def _kind_of(value):
    if isinstance(value, _Scalar):
        return type(value).dtype
    if isinstance(value, _py.bool):
        return _BOOL
    if isinstance(value, int):
        return _I64
    if isinstance(value, float):
        return _F64
    if isinstance(value, complex):
        raise Unsupported("complex numbers are not part of the sandbox's numpy")
    raise Unsupported(f"an array of {type(value).__name__} is not part of the sandbox's numpy; supported are numbers and booleans")


# --- the array -------------------------------------------------------------------------------------------------------

def _strides(shape):
    out, n = [], 1
    for d in reversed(shape):
        out.append(n)
        n *= d
    return tuple(reversed(out))


def _offsets(shape, strides, start=0):
    base = [start]
    for n, s in zip(shape, strides):
        base = [b + i * s for b in base for i in range(n)]
    return base


def _check_shape(shape):
    if isinstance(shape, int):
        shape = (shape,)
    shape = tuple(map(_op.index, shape))
    if len(shape) > MAX_DIMENSIONS:
        raise Unsupported(f"an array of {len(shape)} dimensions is not part of the sandbox's numpy; supported are up to {MAX_DIMENSIONS}")
    if _py.any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    if _math.prod(shape) > MAX_SIZE:
        raise MemoryError(f"an array of {_math.prod(shape)} elements; the sandbox's numpy has at most {MAX_SIZE}")
    return shape


def _slice(start, n, step):
    """The slice of flat memory that a row is."""
    stop = start + n * step
    return slice(start, None if stop < 0 else stop, step)


class ndarray:
    __slots__ = ("_b", "_shape", "_s", "_o", "dtype")
    __array_priority__ = 1

    def __init__(self, *args, **kwargs):
        raise _unsupported("numpy.ndarray(); use numpy.array() or numpy.zeros(), ndarray()")

    # Memory.
    def _contiguous(self):
        return self._s == _strides(self._shape)

    def _flat(self):
        """The elements in order, as a sequence."""
        b, shape = self._b, self._shape
        if self._contiguous():
            n = self.size
            return b[self._o:self._o + n] if self._o or n != len(b) else b
        out = type(b)() if isinstance(b, bytearray) else _array.array(b.typecode)
        n, s = shape[-1], self._s[-1]
        if n == 0:
            return out
        for p in _offsets(shape[:-1], self._s[:-1], self._o):
            out += b[_slice(p, n, s)] if s else b[p:p + 1] * n
        return out

    def _values(self):
        """The elements in order, as Python numbers."""
        return list(map(_py.bool, self._flat())) if self.dtype is _BOOL else self._flat()

    def _quick(self, what):
        """The mean, min or max of all elements if somebody else knows it, or None."""
        return None

    def _view(self, shape, strides, offset):
        return _wrap(self._b, shape, strides, offset, self.dtype)

    # What it is like.
    @property
    def shape(self):
        return self._shape

    @shape.setter
    def shape(self, shape):
        if not self._contiguous():
            raise _unsupported("setting the shape of a view")
        self._shape = _fit(shape, self.size)
        self._s = _strides(self._shape)

    @property
    def size(self):
        return _math.prod(self._shape)

    @property
    def ndim(self):
        return len(self._shape)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def T(self):
        return self.transpose()

    @property
    def flat(self):
        return iter(self.ravel())

    def __len__(self):
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __iter__(self):
        if not self._shape:
            raise TypeError("iteration over a 0-d array")
        if len(self._shape) == 1:
            return iter(list(map(self.dtype.scalar, self._flat())))
        return (self[i] for i in range(self._shape[0]))

    def _one(self):
        if self.size != 1:
            raise TypeError("only arrays of one element can be converted to a number") if self.size else ValueError("the array is empty")
        return self._values()[0]

    def __float__(self):
        return float(self._one())

    def __int__(self):
        return int(self._one())

    def __index__(self):
        return _op.index(self._one())

    def __bool__(self):
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
        return _py.bool(self._one())

    __hash__ = None

    def __contains__(self, value):
        return _py.bool((self == value).any())

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise _unsupported(f"ndarray.{name}")

    def __repr__(self):
        text = _text(self, ", ").replace("\n", "\n      ")
        plain = self.dtype in (_F64, _I64, _BOOL)
        return f"array({text})" if plain else f"array({text}, dtype={self.dtype.name})"

    def __str__(self):
        return _text(self, " ")

    def __format__(self, spec):
        if not spec:
            return str(self)
        if self._shape:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        return format(self._one(), spec)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    # Elements and parts.
    def _parse(self, key):
        """Splits a key into one entry per axis (int, slice, None or index array) and says whether arrays are among them."""
        key = list(key) if isinstance(key, tuple) else [key]
        out, arrays = [], False
        for k in key:
            if isinstance(k, list):
                k = array(k) if k else array(k, dtype=int)
            if isinstance(k, ndarray):
                if k.dtype is _BOOL:
                    out.append(k)
                elif k.dtype.kind == "f":
                    raise IndexError("arrays used as indices must be of integer (or boolean) type")
                else:
                    out.append(k)
                arrays = True
            elif k is None or k is Ellipsis or isinstance(k, slice):
                out.append(k)
            else:
                try:
                    out.append(_op.index(k))
                except TypeError:
                    raise IndexError("only integers, slices, ellipsis, numpy.newaxis and integer or boolean arrays are valid indices") from None
        used = _py.sum((k.ndim if isinstance(k, ndarray) and k.dtype is _BOOL else 1) for k in out if k is not None and k is not Ellipsis)
        if used > len(self._shape):
            raise IndexError(f"too many indices for array: array is {len(self._shape)}-dimensional, but {used} were indexed")
        rest = [slice(None)] * (len(self._shape) - used)
        for i, k in enumerate(out):
            if k is Ellipsis:
                out[i:i + 1] = rest
                break
        else:
            out += rest
        return out, arrays

    def _basic(self, key):
        shape, strides, offset, axis = [], [], self._o, 0
        for k in key:
            if k is None:
                shape.append(1)
                strides.append(0)
                continue
            n, s = self._shape[axis], self._s[axis]
            if isinstance(k, int):
                if not -n <= k < n:
                    raise IndexError(f"index {k} is out of bounds for axis {axis} with size {n}")
                offset += (k + n if k < 0 else k) * s
            else:
                r = range(*k.indices(n))
                offset += r.start * s if len(r) else 0
                shape.append(len(r))
                strides.append(s * r.step)
            axis += 1
        return tuple(shape), tuple(strides), offset

    def _fancy(self, key):
        """Where the elements lie that a key with index arrays means, and their shape."""
        expanded = []
        for k in key:
            if isinstance(k, ndarray) and k.dtype is _BOOL:
                at = len([x for x in expanded if x is not None])
                if k.shape != self._shape[at:at + k.ndim]:
                    raise IndexError(f"boolean index of shape {k.shape} did not match indexed array of shape {self._shape}")
                expanded += nonzero(k)
            else:
                expanded.append(k)
        arrays = [k for k in expanded if isinstance(k, ndarray)]
        shape, strides, offset = self._basic([slice(None) if isinstance(k, ndarray) else k for k in expanded])
        axes, places = 0, []
        for k in expanded:
            if isinstance(k, ndarray):
                places.append(axes)
            axes += not isinstance(k, int)
        common = _broadcast_shape(*[k.shape for k in arrays])
        first = places[0] if places == list(range(places[0], places[0] + len(places))) else 0
        mid = [0] * _math.prod(common)
        for k, axis in zip(arrays, places):
            n, s = shape[axis], strides[axis]
            for j, i in enumerate(broadcast_to(k, common)._flat()):
                if not -n <= i < n:
                    raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
                mid[j] += (i + n if i < 0 else i) * s
        other = [a for a in range(len(shape)) if a not in places]
        before, after = [a for a in other if a < first], [a for a in other if a >= first]
        pre = _offsets([shape[a] for a in before], [strides[a] for a in before], offset)
        post = _offsets([shape[a] for a in after], [strides[a] for a in after])
        where_ = [p + m + q for p in pre for m in mid for q in post]
        return where_, tuple(shape[a] for a in before) + common + tuple(shape[a] for a in after)

    def __getitem__(self, key):
        if isinstance(key, int) and len(self._shape) == 1:
            n = self._shape[0]
            if not -n <= key < n:
                raise IndexError(f"index {key} is out of bounds for axis 0 with size {n}")
            return self.dtype.scalar(self._b[self._o + (key + n if key < 0 else key) * self._s[0]])
        key, arrays = self._parse(key)
        if arrays:
            where_, shape = self._fancy(key)
            b = self._b
            return _new(self.dtype.pack([b[i] for i in where_]), _check_shape(shape), self.dtype)
        shape, strides, offset = self._basic(key)
        if not shape and _py.all(isinstance(k, int) for k in key):
            return self.dtype.scalar(self._b[offset])
        return self._view(_check_shape(shape), strides, offset)

    def __setitem__(self, key, value):
        key, arrays = self._parse(key)
        b = self._b
        if arrays:
            where_, shape = self._fancy(key)
            if isinstance(value, (int, float)):
                data = self.dtype.filled(value, len(where_))
            else:
                data = self.dtype.pack(broadcast_to(asarray(value), shape)._flat())
            for i, v in zip(where_, data):
                b[i] = v
            return
        shape, strides, offset = self._basic(key)
        if isinstance(value, (int, float)):
            n = _math.prod(shape)
            data = self.dtype.filled(value, n)
        else:
            value = asarray(value)
            while value.ndim > len(shape) and value.shape[0] == 1:
                value = value[0]
            value = broadcast_to(value, shape)
            data = value._flat()
            data = data[:] if value.dtype is self.dtype else self.dtype.pack(data)
        if not shape:
            b[offset] = data[0]
            return
        if strides == _strides(shape):
            b[offset:offset + len(data)] = data
            return
        n, s = shape[-1], strides[-1]
        for j, p in enumerate(_offsets(shape[:-1], strides[:-1], offset)):
            if n:
                b[_slice(p, n, s)] = data[j * n:(j + 1) * n]

    # Other forms of the same.
    def item(self, *at):
        value = self[at if len(at) > 1 else at[0]] if at and (len(at) > 1 or len(self._shape) == 1) else self._values()[at[0]] if at else self._one()
        return _py.bool(value) if self.dtype is _BOOL else float(value) if self.dtype.kind == "f" else int(value)

    def tolist(self):
        values = list(self._values())
        for n in reversed(self._shape[1:]):
            values = [values[i:i + n] for i in range(0, len(values), n)] if n else [[] for _ in range(_math.prod(self._shape[:-1]))]
        return values if self._shape else values[0]

    def tobytes(self):
        return bytes(self._flat()) if isinstance(self._b, bytearray) else self._flat().tobytes()

    def copy(self, order="C"):
        return _new(self._flat()[:], self._shape, self.dtype)

    def astype(self, kind, copy=True):
        d = dtype(kind)
        if d is self.dtype:
            return self.copy() if copy else self
        return _new(d.pack(self._flat()), self._shape, d)

    def reshape(self, *shape, order="C"):
        shape = _fit(shape[0] if len(shape) == 1 else shape, self.size)
        if self._contiguous():
            return self._view(shape, _strides(shape), self._o)
        return _new(self._flat(), shape, self.dtype)

    def ravel(self, order="C"):
        return self.reshape(-1)

    def flatten(self, order="C"):
        return self.copy().reshape(-1)

    def transpose(self, *axes):
        if len(axes) == 1 and not isinstance(axes[0], int):
            axes = axes[0]
        axes = tuple(_axis(a, self.ndim) for a in axes) if axes else tuple(reversed(range(self.ndim)))
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError("axes don't match array")
        return self._view(tuple(self._shape[a] for a in axes), tuple(self._s[a] for a in axes), self._o)

    def swapaxes(self, a, b):
        axes = list(range(self.ndim))
        a, b = _axis(a, self.ndim), _axis(b, self.ndim)
        axes[a], axes[b] = b, a
        return self.transpose(axes)

    def squeeze(self, axis=None):
        drop = [i for i, n in enumerate(self._shape) if n == 1] if axis is None else [_axis(a, self.ndim) for a in (axis if isinstance(axis, tuple) else (axis,))]
        if _py.any(self._shape[a] != 1 for a in drop):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        keep = [i for i in range(self.ndim) if i not in drop]
        return self._view(tuple(self._shape[a] for a in keep), tuple(self._s[a] for a in keep), self._o)

    def fill(self, value):
        self[...] = value

    def sort(self, axis=-1):
        self[...] = sort(self, axis)

    # Numbers made of it; see the functions of the same names.
    def sum(self, axis=None, dtype=None, keepdims=False): return sum(self, axis, dtype, keepdims=keepdims)
    def prod(self, axis=None, keepdims=False): return prod(self, axis, keepdims=keepdims)
    def mean(self, axis=None, dtype=None, keepdims=False): return mean(self, axis, keepdims=keepdims)
    def std(self, axis=None, ddof=0, keepdims=False): return std(self, axis, ddof=ddof, keepdims=keepdims)
    def var(self, axis=None, ddof=0, keepdims=False): return var(self, axis, ddof=ddof, keepdims=keepdims)
    def min(self, axis=None, keepdims=False): return min(self, axis, keepdims=keepdims)
    def max(self, axis=None, keepdims=False): return max(self, axis, keepdims=keepdims)
    def ptp(self, axis=None): return ptp(self, axis)
    def argmin(self, axis=None): return argmin(self, axis)
    def argmax(self, axis=None): return argmax(self, axis)
    def argsort(self, axis=-1): return argsort(self, axis)
    def any(self, axis=None, keepdims=False): return any(self, axis, keepdims=keepdims)
    def all(self, axis=None, keepdims=False): return all(self, axis, keepdims=keepdims)
    def cumsum(self, axis=None): return cumsum(self, axis)
    def dot(self, other): return dot(self, other)
    def clip(self, low=None, high=None): return clip(self, low, high)
    def round(self, decimals=0): return round(self, decimals)
    def nonzero(self): return nonzero(self)
    def repeat(self, n, axis=None): return repeat(self, n, axis)
    def trace(self): return trace(self)
    def diagonal(self): return diag(self)

    # Arithmetic.
    def __neg__(self): return negative(self)
    def __pos__(self): return self.copy()
    def __abs__(self): return absolute(self)
    def __invert__(self): return invert(self)
    def __matmul__(self, other): return matmul(self, other)
    def __rmatmul__(self, other): return matmul(other, self)
    def __round__(self, decimals=0): return round(self, decimals)


def _wrap(b, shape, strides, offset, d):
    a = object.__new__(ndarray)
    a._b, a._shape, a._s, a._o, a.dtype = b, shape, strides, offset, d
    return a


def _new(b, shape, d):
    return _wrap(b, shape, _strides(shape), 0, d)


def _fit(shape, size):
    shape = [shape] if isinstance(shape, int) else [_op.index(n) for n in shape]
    if shape.count(-1) == 1:
        known = -_math.prod(shape)
        if known and size % known == 0:
            shape[shape.index(-1)] = size // known
    if _py.any(n < 0 for n in shape) or _math.prod(shape) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {tuple(shape)}")
    return _check_shape(shape)


def _axis(axis, ndim):
    axis = _op.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def _text(a, separator):
    values, kind = a.tolist(), a.dtype.kind
    if kind == "f":
        flat = a._values()
        decimals = 0
        finite = [v for v in flat if _math.isfinite(v)]
        biggest = _py.max(map(abs_, finite), default=0)
        smallest = _py.min((abs_(v) for v in finite if v), default=1)
        scientific = biggest >= 1e8 or smallest < 1e-4 or (smallest and biggest / smallest > 1e3 and smallest < 1e-3)
        for v in finite[:1000]:
            text = repr(_py.round(v, 8)) if a.dtype is _F64 else f"{v:.7g}"
            if "." in text and "e" not in text:
                decimals = _py.max(decimals, len(text.split(".")[1]) if not text.endswith(".0") else 0)
        def one(v):
            if not _math.isfinite(v):
                return repr(v)
            if scientific:
                return f"{v:.8e}"
            text = f"{v:.{decimals}f}"
            return text.rstrip("0").ljust(len(text)) if decimals else text + "."

    else:
        one = str
    if not a.shape:
        return one(values)
    width = _py.max((len(one(v)) for v in a._values()[:1000]), default=0)

    def rows(v, depth):
        if not isinstance(v, list):
            return one(v).rjust(width)
        if len(v) > 1000:
            v = v[:3] + [...] + v[-3:]
        parts = ["..." if x is ... else rows(x, depth + 1) for x in v]
        deep = a.ndim - depth - 1
        return "[" + (separator.join(parts) if deep == 0 else (separator.rstrip() + "\n" * deep + " " * (depth + 1)).join(parts)) + "]"

    return rows(values, 0)


# --- making arrays ---------------------------------------------------------------------------------------------------

def array(object, dtype=None, copy=True, ndmin=0):
    if not isinstance(object, ndarray) and hasattr(type(object), "__array__"):
        object = object.__array__()
    if isinstance(object, ndarray):
        a = object.copy() if copy else object
        a = a if dtype is None else a.astype(dtype, copy=False)
    else:
        a = _from(object, dtype)
    while a.ndim < ndmin:
        a = a[None]
    return a


def _from(value, kind):
    d = None if kind is None else dtype(kind)
    if isinstance(value, (bytes, bytearray)) and d is None:
        raise _unsupported("an array of bytes; use numpy.frombuffer()")
    if isinstance(value, (str, dict, set)):
        raise _unsupported(f"an array of {type(value).__name__}")
    if isinstance(value, (range, _types.GeneratorType, map, zip)):
        value = list(value)
    if isinstance(value, _array.array):
        value = list(value)
    if not isinstance(value, (list, tuple)):
        d = d or _kind_of(value)
        return _new(d.pack((value,)), (), d)
    if value and isinstance(value[0], ndarray):
        if not _py.all(isinstance(v, ndarray) and v.shape == value[0].shape for v in value):
            value = [v.tolist() if isinstance(v, ndarray) else v for v in value]
        else:
            a = stack(value)
            return a if d is None else a.astype(d, copy=False)
    shape, flat = [len(value)], value
    while flat and isinstance(flat[0], (list, tuple, ndarray)):
        flat = [v.tolist() if isinstance(v, ndarray) else v for v in flat]
        n = len(flat[0])
        if not _py.all(isinstance(v, (list, tuple)) and len(v) == n for v in flat):
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
        shape.append(n)
        flat = [x for v in flat for x in v]
    shape = _check_shape(shape)
    if d is None:
        kinds = set(map(type, flat))
        if kinds <= {float, float64}:
            d = _F64
        elif kinds == {int}:
            d = _I64
        else:
            d = None
            for v in flat:
                if isinstance(v, (list, tuple)):
                    raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
                k = _kind_of(v.item() if isinstance(v, ndarray) else v)
                d = k if d is None else _promote(d, k)
                if d is _F64:
                    break
            d = d or _F64
    try:
        return _new(d.pack(flat), shape, d)
    except TypeError:
        for v in flat:
            if isinstance(v, (list, tuple)):
                raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape") from None
            _kind_of(v)
        raise


def asarray(a, dtype=None):
    return a if isinstance(a, ndarray) and (dtype is None or a.dtype == dtype) else array(a, dtype)


asanyarray = ascontiguousarray = asarray


def _value(a):
    """An array, or a plain number as it is."""
    return a if isinstance(a, (ndarray, int, float)) else asarray(a)


def full(shape, fill_value, dtype=None):
    shape = _check_shape(shape)
    d = _kind_of(fill_value) if dtype is None and isinstance(fill_value, (int, float)) else _dt(dtype)
    if isinstance(fill_value, (int, float)):
        return _new(d.filled(fill_value, _math.prod(shape)), shape, d)
    return array(broadcast_to(asarray(fill_value, dtype), shape))


_dt = dtype


def zeros(shape, dtype=float): return full(shape, 0, _dt(dtype))
def ones(shape, dtype=float): return full(shape, 1, _dt(dtype))
def empty(shape, dtype=float): return full(shape, 0, _dt(dtype))
def zeros_like(a, dtype=None): return full(shape(a), 0, dtype or asarray(a).dtype)
def ones_like(a, dtype=None): return full(shape(a), 1, dtype or asarray(a).dtype)
def full_like(a, fill_value, dtype=None): return full(shape(a), fill_value, dtype or asarray(a).dtype)


empty_like = zeros_like


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    d = _dt(dtype)
    data = bytes(buffer)[offset:]
    if count >= 0:
        data = data[:count * d.itemsize]
    if len(data) % d.itemsize:
        raise ValueError("buffer size must be a multiple of element size")
    if d.code == "B":
        return _new(bytearray(data), (len(data),), d)
    b = _array.array(d.code)
    b.frombytes(data)
    return _new(b, (len(b),), d)


def arange(start, stop=None, step=1, dtype=None):
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ZeroDivisionError("division by zero")
    n = _py.max(0, _math.ceil((stop - start) / step))
    _check_shape(n)
    d = _dt(dtype) if dtype is not None else _I64 if _py.all(isinstance(v, int) for v in (start, stop, step)) else _F64
    values = range(start, stop, step) if d.kind in "iu" and isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) else [start + i * step for i in range(n)]
    return _new(d.pack(values), (n,), d)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
    if isinstance(start, (list, tuple, ndarray)) or isinstance(stop, (list, tuple, ndarray)):
        t = linspace(0.0, 1.0, num, endpoint)
        start, stop = asarray(start), asarray(stop)
        return start + t.reshape([num] + [1] * _py.max(start.ndim, stop.ndim)) * (stop - start)
    _check_shape(num)
    parts = num - 1 if endpoint else num
    step = (stop - start) / parts if parts > 0 else nan
    values = [start + i * step for i in range(num)]
    if endpoint and num > 1:
        values[-1] = float(stop)
    a = _new(_F64.pack([float(v) for v in values]) if num != 1 else _F64.pack([float(start)]), (num,), _F64)
    a = a if dtype is None else a.astype(dtype)
    return (a, step) if retstep else a


def eye(n, m=None, k=0, dtype=float):
    a = zeros((n, n if m is None else m), dtype)
    for i in range(n):
        if 0 <= i + k < a.shape[1]:
            a[i, i + k] = 1
    return a


def identity(n, dtype=float): return eye(n, dtype=dtype)


def diag(v, k=0):
    v = asarray(v)
    if v.ndim == 1:
        n = v.size + _py.abs(k)
        a = zeros((n, n), v.dtype)
        for i, x in enumerate(v):
            a[(i, i + k) if k >= 0 else (i - k, i)] = x
        return a
    return array([v[i, i + k] for i in range(v.shape[0]) if 0 <= i + k < v.shape[1]], dtype=v.dtype)


def meshgrid(*xs, indexing="xy"):
    xs = [asarray(x).ravel() for x in xs]
    shape = [x.size for x in xs]
    order = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        order[0], order[1] = 1, 0
    out_shape = tuple(shape[i] for i in order)
    out = []
    for i, x in enumerate(xs):
        form = [1] * len(xs)
        form[order.index(i)] = x.size
        out.append(broadcast_to(x.reshape(form), out_shape).copy())
    return out


# --- shapes ----------------------------------------------------------------------------------------------------------

def shape(a): return a.shape if isinstance(a, ndarray) else () if isinstance(a, (int, float)) else asarray(a).shape
def ndim(a): return len(shape(a))
def size(a, axis=None): return _math.prod(shape(a)) if axis is None else shape(a)[axis]
def reshape(a, shape): return asarray(a).reshape(shape)
def ravel(a): return asarray(a).ravel()
def transpose(a, axes=None): return asarray(a).transpose(*([axes] if axes is not None else []))
def swapaxes(a, b, c): return asarray(a).swapaxes(b, c)
def squeeze(a, axis=None): return asarray(a).squeeze(axis)
def copy(a): return array(a)
def isscalar(a): return isinstance(a, (int, float, str))
def atleast_1d(a): return a if ndim(a := asarray(a)) else a.reshape(1)
def atleast_2d(a): return a if ndim(a := asarray(a)) > 1 else a.reshape(1, -1)


def moveaxis(a, source, destination):
    a = asarray(a)
    axes = [i for i in range(a.ndim) if i != _axis(source, a.ndim)]
    axes.insert(_axis(destination, a.ndim), _axis(source, a.ndim))
    return a.transpose(axes)


def expand_dims(a, axis):
    a = asarray(a)
    axis = _axis(axis, a.ndim + 1)
    return a[tuple([slice(None)] * axis + [None])]


def _broadcast_shape(*shapes):
    n = _py.max(map(len, shapes), default=0)
    out = [1] * n
    for s in shapes:
        for i, d in enumerate(s, n - len(s)):
            if d != 1:
                if out[i] not in (1, d):
                    raise ValueError("operands could not be broadcast together with shapes " + " ".join(map(str, shapes)))
                out[i] = d
    return tuple(out)


def broadcast_to(a, shape):
    a = asarray(a)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if a._shape == shape:
        return a
    extra = len(shape) - a.ndim
    if extra < 0 or _py.any(n not in (1, m) for n, m in zip(a._shape, shape[extra:])):
        raise ValueError(f"could not broadcast input array from shape {a._shape} into shape {shape}")
    _check_shape(shape)
    return a._view(shape, (0,) * extra + tuple(0 if n != m else s for n, m, s in zip(a._shape, shape[extra:], a._s)), a._o)


def concatenate(arrays, axis=0):
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        arrays, axis = [a.ravel() for a in arrays], 0
    first = arrays[0]
    axis = _axis(axis, first.ndim)
    d = first.dtype
    for a in arrays[1:]:
        if a.ndim != first.ndim or _py.any(n != m for i, (n, m) in enumerate(zip(a.shape, first.shape)) if i != axis):
            raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
        d = _promote(d, a.dtype)
    shape = list(first.shape)
    shape[axis] = _py.sum(a.shape[axis] for a in arrays)
    out = zeros(shape, d)
    at = 0
    for a in arrays:
        n = a.shape[axis]
        out[tuple([slice(None)] * axis + [slice(at, at + n)])] = a
        at += n
    return out


def stack(arrays, axis=0): return concatenate([expand_dims(a, axis) for a in arrays], axis)
def vstack(arrays): return concatenate([atleast_2d(a) for a in arrays], 0)


def hstack(arrays):
    arrays = [atleast_1d(a) for a in arrays]
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1)


def column_stack(arrays): return concatenate([a.reshape(-1, 1) if a.ndim == 1 else a for a in map(asarray, arrays)], 1)
def dstack(arrays): return concatenate([a.reshape(a.shape + (1,)) if a.ndim == 2 else a for a in map(atleast_2d, arrays)], 2)
def append(a, values, axis=None): return concatenate([a if axis is not None else ravel(a), values if axis is not None else ravel(values)], axis or 0)


def array_split(a, n, axis=0):
    a = asarray(a)
    total = a.shape[_axis(axis, a.ndim)]
    cuts = [0] + [_py.sum(total // n + (j < total % n) for j in range(i + 1)) for i in range(n)] if isinstance(n, int) else [0, *n, total]
    return [a[tuple([slice(None)] * _axis(axis, a.ndim) + [slice(b, c)])] for b, c in zip(cuts, cuts[1:])]


def split(a, n, axis=0):
    if isinstance(n, int) and asarray(a).shape[axis] % n:
        raise ValueError("array split does not result in an equal division")
    return array_split(a, n, axis)


def flip(a, axis=None):
    a = asarray(a)
    axes = range(a.ndim) if axis is None else [_axis(axis, a.ndim)]
    return a[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(a.ndim))]


def flipud(a): return flip(a, 0)
def fliplr(a): return flip(a, 1)


def rot90(a, k=1):
    a = asarray(a)
    for _ in range(k % 4):
        a = flip(a.swapaxes(0, 1), 0)
    return a


def roll(a, shift, axis=None):
    a = asarray(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    n = a.shape[_axis(axis, a.ndim)]
    shift %= n or 1
    before = [slice(None)] * _axis(axis, a.ndim)
    return concatenate([a[tuple(before + [slice(n - shift, None)])], a[tuple(before + [slice(None, n - shift)])]], axis)


def tile(a, reps):
    a = asarray(a)
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    while a.ndim < len(reps):
        a = a[None]
    for axis, n in enumerate(reversed(reps), 1):
        a = concatenate([a] * n, -axis) if n else a[tuple([Ellipsis, slice(0)] + [slice(None)] * (axis - 1))]
    return a


def repeat(a, repeats, axis=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = _axis(axis, a.ndim)
    counts = [repeats] * a.shape[axis] if isinstance(repeats, int) else list(repeats)
    return a[tuple([slice(None)] * axis + [array([i for i, n in enumerate(counts) for _ in range(n)], dtype=int)])]


# --- element by element ----------------------------------------------------------------------------------------------

def _divide(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return nan if a == 0 or a != a else _math.copysign(inf, a) * _math.copysign(1, b)


def _floor_divide(a, b):
    try:
        return a // b
    except ZeroDivisionError:
        return _divide(a, b) if isinstance(a, float) or isinstance(b, float) else 0


def _mod(a, b):
    try:
        return a % b
    except ZeroDivisionError:
        return nan if isinstance(a, float) or isinstance(b, float) else 0


def _power(a, b):
    try:
        v = a ** b
        return nan if isinstance(v, complex) else v
    except ZeroDivisionError:
        return inf
    except OverflowError:
        return inf if a > 0 or b % 2 == 0 else -inf


def _maximum(a, b): return a if a >= b or a != a else b
def _minimum(a, b): return a if a <= b or a != a else b


# What the type of a result is.
def _same(d): return d
def _boolean(d): return _BOOL
def _real(d): return d if d.kind == "f" else _F64
def _number(d): return _I64 if d.kind == "b" else d


def _binary(name, f, result=_same):
    def function(a, b, out=None, where=None):
        if where is not None:
            raise _unsupported(f"numpy.{name}(where=)")
        a, b = _value(a), _value(b)
        if not isinstance(a, ndarray) and not isinstance(b, ndarray):
            d = result(_promote(_kind_of(a), _kind_of(b)))
            if d.kind == "f" and f is not _divide:
                a, b = (float(a), float(b)) if f is _power else (a, b)
            return d.scalar(f(a, b)) if d is not _I64 else _I64.type(f(a, b))
        if not isinstance(b, ndarray):
            d, shape = _weak(a.dtype, b), a._shape
            b = float(b) if d.kind == "f" else int(b) if f not in (_op.and_, _op.or_, _op.xor) else b
            values = [f(v, b) for v in a._values()]
        elif not isinstance(a, ndarray):
            d, shape = _weak(b.dtype, a), b._shape
            a = float(a) if d.kind == "f" else int(a) if f not in (_op.and_, _op.or_, _op.xor) else a
            values = [f(a, v) for v in b._values()]
        else:
            d, shape = _promote(a.dtype, b.dtype), a._shape
            if a._shape != b._shape:
                shape = _check_shape(_broadcast_shape(a._shape, b._shape))
                a, b = broadcast_to(a, shape), broadcast_to(b, shape)
            values = list(map(f, a._values(), b._values()))
        d = result(d)
        if f is _power and d.kind in "iu" and _py.any(isinstance(v, float) for v in values):
            raise ValueError("Integers to negative integer powers are not allowed.")
        made = _new(d.pack(values), shape, d)
        if out is not None:
            out[...] = made
            return out
        return made if shape else d.scalar(values[0])

    function.__name__ = function.__qualname__ = name
    return function


def _unary(name, f, result=_real):
    def function(a, out=None):
        a = _value(a)
        if not isinstance(a, ndarray):
            d = result(_kind_of(a))
            return d.scalar(_quiet(f, a))
        d = result(a.dtype)
        try:
            values = list(map(f, a._values()))
        except (ValueError, OverflowError, ZeroDivisionError):
            values = [_quiet(f, v) for v in a._values()]
        made = _new(d.pack(values), a._shape, d)
        if out is not None:
            out[...] = made
            return out
        return made if a._shape else d.scalar(values[0])

    function.__name__ = function.__qualname__ = name
    return function


def _quiet(f, v):
    """What a function of math refuses is infinite or not a number in numpy."""
    try:
        return f(v)
    except ZeroDivisionError:
        return inf
    except OverflowError:
        return -inf if f is _math.sinh and v < 0 else inf
    except ValueError:
        if v == 0 and f in (_math.log, _math.log2, _math.log10, _math.log1p):
            return -inf
        if v == inf and f in (_math.floor, _math.ceil):
            return v
        return nan


def _keep(f):
    """f for floats that stay floats even when infinite."""
    return lambda v: float(f(v)) if not isinstance(v, float) or _math.isfinite(v) else v


add = _binary("add", _op.add)
subtract = _binary("subtract", _op.sub)
multiply = _binary("multiply", _op.mul)
divide = true_divide = _binary("divide", _divide, _real)
floor_divide = _binary("floor_divide", _floor_divide)
mod = remainder = _binary("mod", _mod)
fmod = _binary("fmod", lambda a, b: _math.fmod(a, b) if b else nan)
power = float_power = _binary("power", _power)
maximum, minimum = _binary("maximum", _maximum), _binary("minimum", _minimum)
arctan2, hypot = _binary("arctan2", _math.atan2, _real), _binary("hypot", _math.hypot, _real)
copysign = _binary("copysign", _math.copysign, _real)
equal, not_equal = _binary("equal", _op.eq, _boolean), _binary("not_equal", _op.ne, _boolean)
less, less_equal = _binary("less", _op.lt, _boolean), _binary("less_equal", _op.le, _boolean)
greater, greater_equal = _binary("greater", _op.gt, _boolean), _binary("greater_equal", _op.ge, _boolean)
logical_and = _binary("logical_and", lambda a, b: _py.bool(a and b), _boolean)
logical_or = _binary("logical_or", lambda a, b: _py.bool(a or b), _boolean)
logical_xor = _binary("logical_xor", lambda a, b: _py.bool(a) != _py.bool(b), _boolean)
bitwise_and, bitwise_or, bitwise_xor = _binary("bitwise_and", _op.and_), _binary("bitwise_or", _op.or_), _binary("bitwise_xor", _op.xor)
left_shift, right_shift = _binary("left_shift", _op.lshift), _binary("right_shift", _op.rshift)

sqrt, cbrt, exp, expm1 = (_unary(n, getattr(_math, n)) for n in ("sqrt", "cbrt", "exp", "expm1"))
log, log2, log10, log1p = (_unary(n, getattr(_math, n)) for n in ("log", "log2", "log10", "log1p"))
sin, cos, tan, sinh, cosh, tanh = (_unary(n, getattr(_math, n)) for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh"))
arcsin, arccos, arctan = asin, acos, atan = _unary("arcsin", _math.asin), _unary("arccos", _math.acos), _unary("arctan", _math.atan)
atan2 = arctan2
deg2rad = radians = _unary("radians", _math.radians)
rad2deg = degrees = _unary("degrees", _math.degrees)
floor, ceil, trunc, rint = (_unary(n, _keep(f), _same) for n, f in (("floor", _math.floor), ("ceil", _math.ceil), ("trunc", _math.trunc), ("rint", _py.round)))
absolute = abs = _unary("absolute", _op.abs, _same)
abs_ = _py.abs
fabs = _unary("fabs", _math.fabs)
negative = _unary("negative", _op.neg, _number)
positive = _unary("positive", _op.pos, _number)
square = _unary("square", lambda v: v * v, _number)
reciprocal = _unary("reciprocal", lambda v: _divide(1.0, v))
sign = _unary("sign", lambda v: (v > 0) - (v < 0) if v == v else nan, _number)
isnan = _unary("isnan", _math.isnan, _boolean)
isinf = _unary("isinf", _math.isinf, _boolean)
isfinite = _unary("isfinite", _math.isfinite, _boolean)
logical_not = _unary("logical_not", _op.not_, _boolean)


def invert(a):
    a = asarray(a)
    values = [not v for v in a._values()] if a.dtype is _BOOL else [~v for v in a._values()]
    return _new(a.dtype.pack(values), a.shape, a.dtype)


bitwise_not = invert


def _operators():
    def method(f):
        def forward(self, other):
            return f(self, other) if isinstance(other, (ndarray, int, float, list, tuple)) else NotImplemented

        def backward(self, other):
            return f(other, self) if isinstance(other, (ndarray, int, float, list, tuple)) else NotImplemented

        def in_place(self, other):
            made = f(self, other)
            if made.dtype.kind == "f" and self.dtype.kind != "f":
                raise TypeError(f"Cannot cast ufunc output from {made.dtype!r} to {self.dtype!r} with casting rule 'same_kind'")
            self[...] = made
            return self

        return forward, backward, in_place

    for name, f in (("add", add), ("sub", subtract), ("mul", multiply), ("truediv", divide), ("floordiv", floor_divide), ("mod", mod), ("pow", power),
                    ("and", bitwise_and), ("or", bitwise_or), ("xor", bitwise_xor), ("lshift", left_shift), ("rshift", right_shift)):
        for prefix, m in zip(("", "r", "i"), method(f)):
            setattr(ndarray, f"__{prefix}{name}__", m)
    for name, f in (("eq", equal), ("ne", not_equal), ("lt", less), ("le", less_equal), ("gt", greater), ("ge", greater_equal)):
        setattr(ndarray, f"__{name}__", method(f)[0])
    ndarray.__hash__ = None


_operators()


def clip(a, a_min=None, a_max=None):
    if a_min is not None:
        a = maximum(a, a_min)
    if a_max is not None:
        a = minimum(a, a_max)
    return a if isinstance(a, (ndarray, int, float)) else asarray(a)


def round(a, decimals=0):
    a = _value(a)
    if not isinstance(a, ndarray):
        return _kind_of(a).scalar(_py.round(a, decimals)) if isinstance(a, float) else a
    if a.dtype.kind != "f":
        return a.copy()
    return _new(a.dtype.pack([_py.round(v, decimals) if _math.isfinite(v) else v for v in a._values()]), a.shape, a.dtype)


around = round_ = round


def where(condition, x=None, y=None):
    if x is None or y is None:
        return nonzero(condition)
    c, x, y = asarray(condition), asarray(x) if isinstance(x, (list, tuple)) else x, asarray(y) if isinstance(y, (list, tuple)) else y
    plain_x, plain_y = not isinstance(x, ndarray), not isinstance(y, ndarray)
    if plain_x and plain_y:
        d = _promote(_kind_of(x), _kind_of(y))
    elif plain_y:
        d = _weak(x.dtype, y)
    elif plain_x:
        d = _weak(y.dtype, x)
    else:
        d = _promote(x.dtype, y.dtype)
    x, y = asarray(x), asarray(y)
    shape = _broadcast_shape(c.shape, x.shape, y.shape)
    values = [a if t else b for t, a, b in zip(broadcast_to(c, shape)._values(), broadcast_to(x, shape)._values(), broadcast_to(y, shape)._values())]
    return _new(d.pack(values), shape, d)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    def close(x, y):
        if x != x or y != y:
            return equal_nan and x != x and y != y
        return x == y or _py.abs(x - y) <= atol + rtol * _py.abs(y) and _math.isfinite(y)

    return _binary("isclose", close, _boolean)(a, b)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False): return _py.bool(all(isclose(a, b, rtol, atol, equal_nan)))
def array_equal(a, b): return shape(a) == shape(b) and _py.bool(all(equal(a, b)))
def nan_to_num(a, nan=0.0, posinf=1.7976931348623157e308, neginf=-1.7976931348623157e308): return _unary("nan_to_num", lambda v: nan if v != v else posinf if v == inf else neginf if v == -inf else v, _same)(a)


def vectorize(f, otypes=None):
    def function(*args):
        args = [asarray(a) for a in args]
        shape = _broadcast_shape(*[a.shape for a in args])
        return array([f(*v) for v in zip(*[broadcast_to(a, shape).ravel() for a in args])]).reshape(shape)

    return function


# --- numbers made of many --------------------------------------------------------------------------------------------

def _reduce(a, axis, f, d, keepdims=False):
    """f of every group of elements that differ only in their place along axis."""
    a = asarray(a)
    if axis is None:
        value = f(a._values())
        if keepdims:
            return _new(d.pack((value,)), (1,) * a.ndim, d)
        return d.scalar(value)
    axes = [_axis(x, a.ndim) for x in (axis if isinstance(axis, tuple) else (axis,))]
    rest = [i for i in range(a.ndim) if i not in axes]
    kept = tuple(a.shape[i] for i in rest)
    flat = a.transpose(rest + axes)._values()
    n = _math.prod(a.shape[i] for i in axes)
    values = [f(flat[i * n:(i + 1) * n]) for i in range(_math.prod(kept))]
    if keepdims:
        kept = tuple(1 if i in axes else m for i, m in enumerate(a.shape))
    return _new(d.pack(values), kept, d) if kept else d.scalar(values[0])


def _total(d): return _I64 if d.kind in "biu" else d


def sum(a, axis=None, dtype=None, keepdims=False):
    a = asarray(a)
    return _reduce(a, axis, _py.sum, _dt(dtype) if dtype is not None else _total(a.dtype), keepdims)


def prod(a, axis=None, keepdims=False):
    a = asarray(a)
    return _reduce(a, axis, _math.prod, _total(a.dtype), keepdims)


def _mean(v): return _py.sum(v) / len(v) if len(v) else nan


def mean(a, axis=None, dtype=None, keepdims=False):
    a = asarray(a)
    if axis is None and not keepdims and (known := a._quick("mean")) is not None:
        return float64(known)
    return _reduce(a, axis, _mean, _real(a.dtype), keepdims)


def _variance(ddof):
    def f(v):
        m = _mean(v)
        return _divide(_py.sum([(x - m) ** 2 for x in v]), len(v) - ddof)

    return f


def var(a, axis=None, ddof=0, keepdims=False):
    a = asarray(a)
    return _reduce(a, axis, _variance(ddof), _real(a.dtype), keepdims)


def std(a, axis=None, ddof=0, keepdims=False): return sqrt(var(a, axis, ddof, keepdims))


def _extreme(f):
    def g(v):
        if not len(v):
            raise ValueError("zero-size array to reduction operation which has no identity")
        best = f(v)
        return nan if isinstance(best, float) and _py.any(x != x for x in v) else best

    return g


def min(a, axis=None, keepdims=False): return _outermost("min", _py.min, a, axis, keepdims)
def max(a, axis=None, keepdims=False): return _outermost("max", _py.max, a, axis, keepdims)


def _outermost(name, f, a, axis, keepdims):
    a = asarray(a)
    if axis is None and not keepdims and (known := a._quick(name)) is not None:
        return a.dtype.scalar(known)
    return _reduce(a, axis, _extreme(f), a.dtype, keepdims)


amin, amax = min, max


def ptp(a, axis=None): return max(a, axis) - min(a, axis)


def _place(f):
    def g(v):
        if not len(v):
            raise ValueError("attempt to get the place of the extreme of an empty sequence")
        for i, x in enumerate(v):
            if x != x:
                return i
        return v.index(f(v)) if not isinstance(v, bytearray) else v.find(f(v))

    return g


def argmin(a, axis=None): return _reduce(a, axis, _place(_py.min), _I64)
def argmax(a, axis=None): return _reduce(a, axis, _place(_py.max), _I64)
def any(a, axis=None, keepdims=False): return _reduce(a, axis, _py.any, _BOOL, keepdims)
def all(a, axis=None, keepdims=False): return _reduce(a, axis, _py.all, _BOOL, keepdims)
def count_nonzero(a, axis=None): return _reduce(a, axis, lambda v: _py.sum(1 for x in v if x), _I64)
def nansum(a, axis=None): return _reduce(a, axis, lambda v: _py.sum(x for x in v if x == x), _total(asarray(a).dtype))
def nanmean(a, axis=None): return _reduce(a, axis, lambda v: _mean([x for x in v if x == x]), _real(asarray(a).dtype))
def nanmin(a, axis=None): return _reduce(a, axis, lambda v: _py.min((x for x in v if x == x), default=nan), asarray(a).dtype)
def nanmax(a, axis=None): return _reduce(a, axis, lambda v: _py.max((x for x in v if x == x), default=nan), asarray(a).dtype)


def average(a, axis=None, weights=None):
    if weights is None:
        return mean(a, axis)
    w = asarray(weights)
    a = asarray(a)
    if w.ndim == 1 and axis is not None and a.ndim > 1:
        w = broadcast_to(w.reshape([-1 if i == _axis(axis, a.ndim) else 1 for i in range(a.ndim)]), a.shape)
    return sum(a * w, axis) / sum(w, axis)


def _quantile(q):
    def f(v):
        v = sorted(v)
        if not v:
            return nan
        at = q * (len(v) - 1)
        i = int(at)
        return v[i] if i + 1 >= len(v) else v[i] + (at - i) * (v[i + 1] - v[i])

    return f


def quantile(a, q, axis=None):
    if not isinstance(q, (int, float)):
        return stack([quantile(a, float(x), axis) for x in q])
    if not 0 <= q <= 1:
        raise ValueError("Quantiles must be in the range [0, 1]")
    a = asarray(a)
    return _reduce(a, axis, _quantile(q), _real(a.dtype))


def percentile(a, q, axis=None): return quantile(a, q / 100 if isinstance(q, (int, float)) else asarray(q) / 100, axis)
def median(a, axis=None): return quantile(a, 0.5, axis)


def _along(a, axis, f, d):
    """f of every row along an axis, which stays as long as it is."""
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = _axis(axis, a.ndim)
    order = [i for i in range(a.ndim) if i != axis] + [axis]
    turned = a.transpose(order)
    flat, n = turned._values(), a.shape[axis]
    values = [x for i in range(0, len(flat), n or 1) for x in f(flat[i:i + n])]
    made = _new(d.pack(values), turned.shape, d)
    return made.transpose([order.index(i) for i in range(a.ndim)])


def cumsum(a, axis=None): return _along(a, axis, _accumulate, _total(asarray(a).dtype))
def cumprod(a, axis=None): return _along(a, axis, lambda v: _accumulate(v, _op.mul), _total(asarray(a).dtype))
def sort(a, axis=-1): return _along(a, axis, sorted, asarray(a).dtype)
def argsort(a, axis=-1, kind=None): return _along(a, axis, lambda v: sorted(range(len(v)), key=v.__getitem__), _I64)


def diff(a, n=1, axis=-1):
    a = asarray(a)
    for _ in range(n):
        before = [slice(None)] * _axis(axis, a.ndim)
        a = a[tuple(before + [slice(1, None)])] - a[tuple(before + [slice(None, -1)])]
    return a


def unique(a, return_counts=False, return_index=False, return_inverse=False):
    if return_index or return_inverse:
        raise _unsupported("numpy.unique(return_index=, return_inverse=)")
    a = asarray(a)
    counts = {}
    for v in a._values():
        counts[v] = counts.get(v, 0) + 1
    keys = sorted(counts)
    made = array(keys, dtype=a.dtype)
    return (made, array([counts[k] for k in keys], dtype=int)) if return_counts else made


def nonzero(a):
    a = asarray(a)
    found = [i for i, v in enumerate(a._flat()) if v]
    out = []
    for n, s in zip(a.shape, _strides(a.shape)):
        out.append(_new(_I64.pack([i // s % n for i in found]), (len(found),), _I64))
    return tuple(out)


def flatnonzero(a): return nonzero(ravel(a))[0]
def argwhere(a): return stack(nonzero(a), 1)
def isin(a, values): return _unary("isin", set(asarray(values)._values()).__contains__, _boolean)(a)


def searchsorted(a, v, side="left"):
    import bisect
    f = bisect.bisect_left if side == "left" else bisect.bisect_right
    values = list(asarray(a)._values())
    return _unary("searchsorted", lambda x: f(values, x), lambda d: _I64)(v)


def interp(x, xp, fp):
    import bisect
    xp, fp = list(asarray(xp)._values()), list(asarray(fp)._values())

    def f(v):
        i = bisect.bisect_right(xp, v)
        if i == 0:
            return float(fp[0])
        if i == len(xp):
            return float(fp[-1])
        return fp[i - 1] + (v - xp[i - 1]) * (fp[i] - fp[i - 1]) / (xp[i] - xp[i - 1])

    return _unary("interp", f)(x)


def bincount(a, minlength=0):
    values = asarray(a)._values()
    out = [0] * _py.max(minlength, _py.max(values, default=-1) + 1)
    for v in values:
        out[v] += 1
    return array(out, dtype=int)


def histogram(a, bins=10, range=None):
    import bisect
    values = asarray(a)._values()
    if isinstance(bins, int):
        low, high = range or (_py.min(values), _py.max(values))
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = linspace(float(low), float(high), bins + 1)
    else:
        edges = asarray(bins)
    marks = list(edges._values())
    out = [0] * (len(marks) - 1)
    for v in values:
        if marks[0] <= v <= marks[-1]:
            out[_py.min(bisect.bisect_right(marks, v), len(out)) - 1] += 1
    return array(out, dtype=int), edges


# --- vectors and matrices --------------------------------------------------------------------------------------------

def _rows(a):
    n, flat = a.shape[1], a._values()
    return [flat[i * n:(i + 1) * n] for i in range(a.shape[0])]


def matmul(a, b):
    a, b = asarray(a), asarray(b)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: an operand has too few dimensions")
    if a.ndim > 2 or b.ndim > 2:
        if a.ndim == 3 and (b.ndim == 2 or b.ndim == 3 and len(b) == len(a)):
            return stack([matmul(x, b if b.ndim == 2 else b[i]) for i, x in enumerate(a)])
        raise _unsupported("matmul of these shapes")
    if a.shape[-1] != b.shape[0]:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} != {b.shape[0]}")
    d = _promote(a.dtype, b.dtype)
    left = _rows(a) if a.ndim == 2 else [a._values()]
    right = _rows(b.T) if b.ndim == 2 else [b._values()]
    values = [_py.sum(map(_op.mul, r, c)) for r in left for c in right]
    shape = a.shape[:-1] + b.shape[1:]
    return _new(d.pack(values), shape, d) if shape else d.scalar(values[0])


def dot(a, b): return multiply(a, b) if not ndim(a) or not ndim(b) else matmul(a, b)
def vdot(a, b): return matmul(ravel(a), ravel(b))
def inner(a, b): return matmul(a, asarray(b).T) if ndim(a) and ndim(b) else multiply(a, b)
def outer(a, b): return multiply(ravel(a).reshape(-1, 1), ravel(b).reshape(1, -1))
def trace(a): return sum(diag(a))


def cross(a, b):
    a, b = asarray(a), asarray(b)
    if a.shape[-1:] == (2,) and b.shape[-1:] == (2,):
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if a.shape[-1:] != (3,) or b.shape[-1:] != (3,):
        raise ValueError("incompatible dimensions for cross product (dimension must be 2 or 3)")
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    return stack([asarray(ay * bz - az * by), asarray(az * bx - ax * bz), asarray(ax * by - ay * bx)], -1)


def tril(a, k=0): return where(asarray([[j <= i + k for j in range(shape(a)[1])] for i in range(shape(a)[0])]), a, 0)
def triu(a, k=0): return where(asarray([[j >= i + k for j in range(shape(a)[1])] for i in range(shape(a)[0])]), a, 0)


def _square(a):
    a = asarray(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def _eliminate(a, right):
    """Gauss with row exchange: the solution rows and the determinant."""
    n = a.shape[0]
    m = [[float(v) for v in row] + list(r) for row, r in zip(_rows(a), right)]
    determinant = 1.0
    for i in range(n):
        pivot = _py.max(range(i, n), key=lambda r: _py.abs(m[r][i]))
        if m[pivot][i] == 0:
            return None, 0.0
        if pivot != i:
            m[i], m[pivot] = m[pivot], m[i]
            determinant = -determinant
        p = m[i][i]
        determinant *= p
        for r in range(i + 1, n):
            if f := m[r][i] / p:
                m[r] = [x - f * y for x, y in zip(m[r], m[i])]
    for i in reversed(range(n)):
        p = m[i][i]
        m[i] = [x / p for x in m[i]]
        for r in range(i):
            if f := m[r][i]:
                m[r] = [x - f * y for x, y in zip(m[r], m[i])]
    return [row[n:] for row in m], determinant


def _norm(x, ord=None, axis=None, keepdims=False):
    x = asarray(x).astype(float)
    if axis is None and x.ndim == 2 and ord not in (None, "fro"):
        if ord in (1, -1, inf, -inf):
            sums = sum(absolute(x), 0 if ord in (1, -1) else 1)
            return max(sums) if ord > 0 else min(sums)
        raise _unsupported(f"numpy.linalg.norm(ord={ord!r}) of a matrix")
    length = lambda v: _math.hypot(*v)
    if ord not in (None, 2, "fro"):
        if ord == inf or ord == -inf:
            length = lambda v: (_py.max if ord > 0 else _py.min)(map(_py.abs, v), default=0.0)
        elif ord == 0:
            length = lambda v: float(_py.sum(1 for y in v if y))
        else:
            length = lambda v: _py.sum(_py.abs(y) ** ord for y in v) ** (1 / ord)
    return _reduce(x, axis, length, _F64, keepdims)


def _det(a):
    a = _square(a)
    return float64(_eliminate(a, [[]] * len(a))[1])


def _solve(a, b):
    a, b = _square(a), asarray(b)
    if b.shape[:1] != a.shape[:1] or b.ndim > 2:
        raise ValueError(f"solve: shapes {a.shape} and {b.shape} not aligned")
    rows, _ = _eliminate(a, _rows(b) if b.ndim == 2 else [[v] for v in b._values()])
    if rows is None:
        raise LinAlgError("Singular matrix")
    return array(rows, dtype=float).reshape(b.shape)


def _inv(a):
    a = _square(a)
    return _solve(a, eye(len(a)))


def _matrix_power(a, n):
    a = _square(a if n >= 0 else _inv(a))
    out = eye(len(a), dtype=a.dtype)
    for _ in range(_py.abs(n)):
        out = matmul(out, a)
    return out


def _lstsq(a, b, rcond=None):
    a, b = asarray(a), asarray(b)
    x = _solve(matmul(a.T, a), matmul(a.T, b))
    return x, sum((matmul(a, x) - b) ** 2, 0), a.shape[1], None


def polyfit(x, y, deg):
    x, y = asarray(x).astype(float), asarray(y)
    a = stack([x ** (deg - i) for i in range(deg + 1)], 1)
    return _lstsq(a, y)[0]


def polyval(p, x):
    out = zeros_like(asarray(x), float) if ndim(x) else 0.0
    for c in asarray(p)._values():
        out = out * x + c
    return out


def _module(name, **names):
    m = _types.ModuleType(f"numpy.{name}", f"numpy.{name}: {', '.join(names)}")
    m.__dict__.update(names)

    def missing(attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise Unsupported(f"numpy.{name}.{attribute} is not part of the sandbox's numpy; supported are: {', '.join(names)}")

    m.__getattr__ = missing
    _sys.modules[m.__name__] = m
    return m


linalg = _module("linalg", norm=_norm, det=_det, inv=_inv, solve=_solve, lstsq=_lstsq, matrix_power=_matrix_power, LinAlgError=LinAlgError)


# --- randomness, which is the host's -----------------------------------------------------------------------------------

class Generator:
    """numpy.random.default_rng(): other numbers than numpy's for the same seed."""

    def __init__(self, source):
        self._r = source

    def _many(self, size, one, d=_F64):
        if size is None:
            return d.scalar(one())
        shape = _check_shape(size)
        return _new(d.pack([one() for _ in range(_math.prod(shape))]), shape, d)

    def random(self, size=None): return self._many(size, self._r.random)
    def uniform(self, low=0.0, high=1.0, size=None): return self._many(size, lambda: self._r.uniform(low, high))
    def normal(self, loc=0.0, scale=1.0, size=None): return self._many(size, lambda: self._r.gauss(loc, scale))
    def standard_normal(self, size=None): return self.normal(size=size)
    def exponential(self, scale=1.0, size=None): return self._many(size, lambda: self._r.expovariate(1 / scale))

    def integers(self, low, high=None, size=None, dtype=int, endpoint=False):
        if high is None:
            low, high = 0, low
        return self._many(size, lambda: self._r.randrange(low, high + endpoint), _dt(dtype))

    def choice(self, a, size=None, replace=True, p=None):
        values = list(range(a)) if isinstance(a, int) else list(a)
        n = 1 if size is None else _math.prod(_check_shape(size))
        if not replace:
            if p is not None:
                raise _unsupported("numpy.random.choice(replace=False, p=)")
            if n > len(values):
                raise ValueError("Cannot take a larger sample than population when replace is False")
        picked = self._r.choices(values, None if p is None else list(p), k=n) if replace else self._r.sample(values, n)
        return picked[0] if size is None else array(picked).reshape(size)

    def shuffle(self, a):
        order = self.permutation(len(a))
        if isinstance(a, list):
            a[:] = [a[i] for i in order]
        else:
            a[...] = a[order]

    def permutation(self, a):
        if isinstance(a, int):
            order = list(range(a))
            self._r.shuffle(order)
            return array(order, dtype=int)
        return asarray(a)[self.permutation(len(a))]


_global = Generator(_random)
random = _module(
    "random", seed=lambda seed=None: _random.seed(seed), default_rng=lambda seed=None: Generator(_random if seed is None else _random.Random(seed)), Generator=Generator,
    rand=lambda *shape: _global.random(shape or None), randn=lambda *shape: _global.normal(size=shape or None), random=_global.random, random_sample=_global.random,
    randint=_global.integers, uniform=_global.uniform, normal=_global.normal, standard_normal=_global.standard_normal, exponential=_global.exponential,
    choice=_global.choice, shuffle=_global.shuffle, permutation=_global.permutation,
)


# --- odds and ends ---------------------------------------------------------------------------------------------------

class _Information:
    def __init__(self, **names):
        self.__dict__.update(names)


def iinfo(kind):
    d = dtype(kind)
    return _Information(min=d.low, max=d.low + d.span - 1, bits=8 * d.itemsize, dtype=d)


def finfo(kind=float):
    d = dtype(kind)
    if d is _F32:
        return _Information(eps=1.1920928955078125e-07, max=3.4028234663852886e38, min=-3.4028234663852886e38, tiny=1.1754943508222875e-38, dtype=d)
    return _Information(eps=_sys.float_info.epsilon, max=_sys.float_info.max, min=-_sys.float_info.max, tiny=_sys.float_info.min, dtype=d)


def issubdtype(a, b):
    a = dtype(a)
    return issubclass(a.type, b) if isinstance(b, type) and issubclass(b, generic) else a == b


def set_printoptions(**options): pass
def seterr(**options): return {}


class errstate:
    def __init__(self, **options): pass
    def __enter__(self): return self
    def __exit__(self, *error): return False


class _Typing:
    def __getitem__(self, key):
        return ndarray


typing = _types.ModuleType("numpy.typing")
typing.NDArray, typing.ArrayLike = _Typing(), object
_sys.modules["numpy.typing"] = typing
bool = bool_

SUPPORTED = sorted(n for n in globals() if not n.startswith("_") and n not in ("SUPPORTED", "Unsupported", "abs_", "MAX_SIZE", "MAX_DIMENSIONS"))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise _unsupported(f"numpy.{name}")
