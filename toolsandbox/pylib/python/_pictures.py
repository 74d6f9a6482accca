"""Pictures that lie on the host until somebody looks at their pixels. Used by cv2, PIL and reachy_mini."""
import binascii

import numpy
from reachy import HostError, call

PIECE = 480_000  # bytes per host call: 640 kB as text, below the usual limit of a line
_dead = []  # handles that nobody has any more


class Handle:
    """A picture on the host; it is let go of with the next call."""

    __slots__ = ("id", "shape")

    def __init__(self, answer):
        self.id, self.shape = answer["id"], (answer["h"], answer["w"], answer["c"])

    def __del__(self):
        _dead.append(self.id)


class RobotError(RuntimeError):
    """The host did not do it."""


def image(op, **args):
    """One operation of the host on pictures, which may be given as handles."""
    held = [(k, v) for k, v in args.items() if isinstance(v, Handle)]  # nobody else may hold them
    for k, v in held:
        args[k] = v.id
    if _dead:
        args["free"] = _dead[:]
        _dead.clear()
    try:
        return call("image", op=op, **args)
    except HostError as e:
        raise error_of(e) from None


def error_of(e):
    """The exception that a Python library would raise."""
    kind = {"invalid": ValueError, "limit_exceeded": MemoryError, "not_found": FileNotFoundError, "denied": PermissionError, "forbidden": PermissionError, "timeout": TimeoutError}
    return kind.get(e.code, RobotError)(str(e))


def derive(op, source, **args):
    """A new picture made by the host of another one."""
    return Handle(image(op, id=source, **args))


def frame(order):
    """A new picture of the robot's camera, 3 bytes a pixel."""
    dead = _dead[:]
    _dead.clear()
    return Handle(call("camera", order=order, free=dead))


def download(handle):
    h, w, c = handle.shape
    data = bytearray()
    while len(data) < h * w * c:
        data += binascii.a2b_base64(image("get", id=handle, offset=len(data))["data"])
    return data


def upload(data, h, w, c):
    handle = Handle(image("new", w=w, h=h, c=c))
    for at in range(0, len(data), PIECE):
        image("put", id=handle, offset=at, data=binascii.b2a_base64(data[at:at + PIECE], newline=False).decode())
    return handle


class Picture(numpy.ndarray):
    """An array of bytes whose memory comes from the host when it is looked at, and goes back when it was changed."""

    __slots__ = ("_handle", "_memory", "_original")

    @property
    def _b(self):
        if self._memory is None:
            self._memory = download(self._handle)
            self._original = bytes(self._memory)
        return self._memory

    def _quick(self, what):
        if self._memory is not None:
            return None
        found = image("stat", id=self._handle)[what]
        return sum(found) / len(found) if what == "mean" else min(found) if what == "min" else max(found)

    def handle(self):
        if self._memory is not None and self._memory != self._original:
            h, w, c = self._handle.shape
            self._handle = upload(self._memory, h, w, c)
            self._original = bytes(self._memory)
        return self._handle

    def copy(self, order="C"):
        return picture(derive("copy", self.handle()), self._shape)


def picture(handle, shape=None):
    """An array for a picture on the host: rows, columns and, unless it is grey, channels."""
    p = object.__new__(Picture)
    h, w, c = handle.shape
    p._shape = shape or ((h, w) if c == 1 else (h, w, c))
    p._s, p._o, p.dtype = numpy._strides(p._shape), 0, numpy._U8
    p._handle, p._memory, p._original = handle, None, None
    return p


def handle_of(a, what="image"):
    """The picture on the host that an array is, sent there if need be."""
    if isinstance(a, Picture) and len(a._shape) in (2, 3) and a._contiguous():
        return a.handle()
    if not isinstance(a, numpy.ndarray):
        raise TypeError(f"{what} is a {type(a).__name__}, expected a numpy array")
    if a.dtype is numpy._BOOL or a.dtype is not numpy._U8:
        raise NotImplementedError(f"{what} has the type {a.dtype.name}; the sandbox's cv2 and PIL know uint8 only")
    if a.ndim not in (2, 3) or a.ndim == 3 and a.shape[2] not in (1, 3, 4) or not a.size:
        raise ValueError(f"{what} has the shape {a.shape}; expected rows, columns and 1, 3 or 4 channels")
    return upload(bytes(a._flat()), a.shape[0], a.shape[1], a.shape[2] if a.ndim == 3 else 1)
