"""Pictures that lie on the host, by handle."""
import binascii

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


class Unsupported(NotImplementedError, AttributeError):
    """Something that the library has and this subset of it has not."""
