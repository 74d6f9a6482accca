"""Pictures that lie on the host until somebody looks at their pixels. Used by cv2, PIL and reachy_mini."""
import numpy
from _handles import Handle, RobotError, Unsupported, derive, download, error_of, frame, image, upload


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
