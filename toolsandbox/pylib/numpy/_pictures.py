"""Pictures of the host as arrays of the real numpy. Used by cv2 and reachy_mini."""
import numpy
from _handles import Handle, RobotError, Unsupported, derive, download, error_of, frame, image, upload


class Picture:
    """What no array here is: one whose memory lies on the host."""


def picture(handle, shape=None):
    """An array for a picture on the host: rows, columns and, unless it is grey, channels."""
    h, w, c = handle.shape
    return numpy.frombuffer(download(handle), dtype=numpy.uint8).reshape(shape or ((h, w) if c == 1 else (h, w, c)))


def handle_of(a, what="image"):
    """A picture on the host with the pixels of an array."""
    if not isinstance(a, numpy.ndarray):
        raise TypeError(f"{what} is a {type(a).__name__}, expected a numpy array")
    if a.dtype != numpy.uint8:
        raise NotImplementedError(f"{what} has the type {a.dtype.name}; the sandbox's cv2 knows uint8 only")
    if a.ndim not in (2, 3) or a.ndim == 3 and a.shape[2] not in (1, 3, 4) or not a.size:
        raise ValueError(f"{what} has the shape {a.shape}; expected rows, columns and 1, 3 or 4 channels")
    return upload(numpy.ascontiguousarray(a).tobytes(), a.shape[0], a.shape[1], a.shape[2] if a.ndim == 3 else 1)
