"""The robot, as a tool sees it: reachy.move_head(yaw=30), reachy.call("speak", text="hello").

Every function is a request to the host, which decides whether this tool may make it and whether the robot does it.
"""
import json
import posix
import time

# Functions and the order of their parameters. The robot's own tools are added by define(); any other granted name can be
# called with keywords.
CALLS = {
    "files": (),  # that came with the call
    "read_file": ("name", "sheet"),
}


class HostError(Exception):
    """The host did not do what was asked; code says why in one word."""

    def __init__(self, message, code="failed"):
        super().__init__(message)
        self.code = code


class Denied(HostError, PermissionError):
    """The host call was not granted to this tool."""


def _read(read=posix.read):
    data = read(0, 65536)
    while not data.endswith(b"\n"):
        more = read(0, 65536)
        if not more:
            raise EOFError("the host is gone")
        data += more
    return data


def _write(data, write=posix.write):
    while data:
        data = data[write(1, data):]


def _flush():
    pass


_reseed = []  # what else has randomness of its own


_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def call(name, /, **args):
    """Asks the host for something and waits for the answer."""
    _flush()
    _write(_encode({"call": name, "args": args}).encode() + b"\n")
    reply = json.loads(_read())
    if "error" not in reply:
        return reply.get("value")
    error = reply["error"]
    raise (Denied if error["code"] == "denied" else HostError)(error["message"], error["code"])


def _function(name, parameters):
    def function(*args, **kwargs):
        if len(args) > len(parameters):
            raise TypeError(f"{name}() takes {len(parameters)} positional arguments but {len(args)} were given")
        for parameter, value in zip(parameters, args):
            if parameter in kwargs:
                raise TypeError(f"{name}() got multiple values for argument {parameter!r}")
            kwargs[parameter] = value
        return call(name, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Calls the robot's tool {name}({', '.join(parameters)})."
    return function


def define(calls):
    """Adds functions: names to the order of their parameters. Called while the image of the interpreter is made."""
    CALLS.update(calls)
    for name, parameters in calls.items():
        globals()[name] = _function(name, parameters)


define(dict(CALLS))


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return _function(name, ())


def sleep(seconds):
    """Waits, on the host's clock."""
    time.sleep(seconds)


def now():
    """Seconds since 1970, on the host's clock."""
    return time.time()
