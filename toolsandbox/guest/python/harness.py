# The first thing that runs in the guest. While the image is made it imports what tools may import and warms up; then
# step() answers one request. The host believes nothing of what is written here or by the tool: limits, grants and the
# meaning of lines are checked on its side.
import _colorize, _pylong, _strptime, abc, array, ast, asyncio, base64, binascii, bisect, builtins, calendar, cmath, collections
import collections.abc, colorsys, contextlib, contextvars, copy, csv, dataclasses, datetime, decimal, difflib, dis, enum
import fractions, functools, gc, hashlib, heapq, hmac, html, html.parser, inspect, io, itertools, json, keyword, linecache
import locale, logging, math, numbers, operator, pprint, posix, queue, random, re, secrets, statistics, string, struct
import sys, textwrap, time, timeit, token, tokenize, traceback, types, typing, unicodedata, unittest, urllib.parse, uuid
import warnings, weakref, xml.etree.ElementTree, xml.sax.saxutils
import encodings.ascii, encodings.cp1252, encodings.idna, encodings.latin_1, encodings.utf_16, encodings.utf_32

TOOL = "<tool>"
MAX_DEPTH = 60
MAX_TEXT = 2000
MAX_NAME = 200


class ResultError(Exception):
    """What the tool returned cannot be written as plain JSON."""


class Log:
    """Stands in for standard output and error: what is printed goes to the host, a line at a time."""

    encoding, errors, closed, name = "utf-8", "replace", False, "log"

    def __init__(self, write=posix.write):
        self._parts, self._size, self._write = [], 0, write

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._parts.append(text)
        self._size += len(text)
        if self._size > 4096 or "\n" in text:
            self.flush()
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        data = "".join(self._parts).encode("utf-8", "replace")
        self._parts.clear()
        self._size = 0
        while data:
            data = data[self._write(2, data):]

    def isatty(self):
        return False

    def writable(self):
        return True


class Loop(asyncio.base_events.BaseEventLoop):
    """An event loop that needs no sockets: there is nothing to wait for but time."""

    def __init__(self):
        super().__init__()
        self._selector = self

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("every task waits for something that nothing can bring about")
        if timeout > 0:
            time.sleep(timeout)
        return ()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as e:
            future.set_exception(e)
        return future


# Python 3.14 made the policies private.
BasePolicy = getattr(asyncio.events, "BaseDefaultEventLoopPolicy", None) or asyncio.events._BaseDefaultEventLoopPolicy


class Policy(BasePolicy):
    _loop_factory = Loop


class NotAvailable:
    """The last word on imports: everything that a tool can have is imported already."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        raise ModuleNotFoundError(f"module {name!r} is not available to tools", name=name)


def plain(value, depth=0):
    """Copies a value into None, bool, int, float, str, list and dict, or raises ResultError."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ResultError("a string has a lone surrogate in it") from None
        return value
    if kind is int:
        if not -(2**63) <= value < 2**63:
            raise ResultError(f"an integer of {value.bit_length()} bits, allowed 64 with sign")
        return value
    if kind is float:
        if not math.isfinite(value):
            raise ResultError(f"the number {value}: JSON has none such")
        return value
    if depth >= MAX_DEPTH:
        raise ResultError(f"nested deeper than {MAX_DEPTH}, or a cycle")
    if kind is list or kind is tuple:
        return [plain(v, depth + 1) for v in value]
    if kind is dict:
        for key in value:
            if type(key) is not str:
                raise ResultError(f"a dictionary key of type {type(key).__name__}, allowed str")
        return {plain(k): plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, enum.Enum):
        return plain(value.value, depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name), depth + 1) for f in dataclasses.fields(value)}
    if callable(to_list := getattr(kind, "tolist", None)):
        return plain(to_list(value), depth + 1)
    raise ResultError(f"a {kind.__name__}, allowed None, bool, int, float, str, list, tuple, dict, enum members and dataclasses")


def text_of(e):
    """The text of an exception, whatever its __str__ does."""
    try:
        text = str(e)
        return text[:MAX_TEXT].encode("utf-8", "replace").decode() if type(text) is str else ""
    except BaseException:
        return "(its text cannot be had)"


def error_of(e, source):
    """Describes an exception to the author of the tool: type, text, line, and the frames that are the tool's own."""
    lines = source.splitlines()
    frames, line = [], 0
    tb = e.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == TOOL:
            line = tb.tb_lineno or line
            code = lines[line - 1].strip() if 0 < line <= len(lines) else ""
            frames.append(f"line {line}, in {tb.tb_frame.f_code.co_name}\n    {code}\n")
        tb = tb.tb_next
    if isinstance(e, SyntaxError) and e.filename == TOOL:
        line = e.lineno or line
        code = lines[line - 1].rstrip() if 0 < line <= len(lines) else ""
        frames.append(f"line {line}\n    {code}\n    {' ' * max(0, (e.offset or 1) - 1)}^\n")
    if len(frames) > 12:
        frames[6:-6] = [f"... {len(frames) - 12} more frames ...\n"]
    name = type(e).__name__[:MAX_NAME]
    message = e.msg if isinstance(e, SyntaxError) and type(e.msg) is str else text_of(e)
    return {"type": name, "message": message[:MAX_TEXT], "line": line, "traceback": "".join(frames) + f"{name}: {message}"[:MAX_TEXT]}


def reason_of(e):
    if isinstance(e, MemoryError):
        return "recursion" if text_of(e).startswith("Parser stack overflowed") else "memory"
    if isinstance(e, RecursionError):
        return "recursion"
    if isinstance(e, ResultError):
        return "result"
    if isinstance(e, SystemExit):
        return "exit"
    if isinstance(e, reachy.Denied):
        return "denied"
    return "error"


def load(source, grants, name="tool"):
    """Runs the source of a tool as a module and returns it."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    for call in grants:
        if call in reachy.CALLS:
            module.__dict__[call] = getattr(reachy, call)
    linecache.cache[TOOL] = (len(source), None, source.splitlines(True), TOOL)
    exec(compile(source, TOOL, "exec", dont_inherit=True), module.__dict__)
    return module


def invoke(function, args):
    """Calls a function, async or not."""
    value = function(**args)
    if inspect.iscoroutine(value):
        value = asyncio.run(value)
    return value


def run(request):
    module = sys.modules[request["module"]] if "module" in request else load(request["source"], request["grants"])
    function = module.__dict__.get(request["function"])
    if not callable(function):
        raise NameError(f"there is no function {request['function']}")
    return invoke(function, request["args"])


def serve(line):
    """Answers one request: bytes of JSON in, bytes of JSON out."""
    request = json.loads(line)
    random.seed(posix.urandom(16))
    for reseed in reachy._reseed:
        reseed()
    log = sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Log()
    reachy._flush = log.flush
    set_recursion_limit(request["recursion"])
    try:
        text = encode({"value": plain(run(request))})
    except BaseException as e:
        # A line must come out of this even when memory is short.
        try:
            text = encode({"error": error_of(e, request.get("source", "")), "reason": reason_of(e)})
        except BaseException:
            text = encode({"error": {"type": type(e).__name__[:MAX_NAME], "message": ""}, "reason": reason_of(e)})
        e = None
    log.flush()
    return text.encode() + b"\n"


def step():
    reachy._write(serve(reachy._read()))


def refuse_recursion_limit(limit):
    raise PermissionError("the recursion limit is set by the host")


def make_modules(sources):
    """Makes modules of the sources that came with the image. They may import each other."""

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name in sources:
                return importlib.machinery.ModuleSpec(name, Finder)

        @staticmethod
        def create_module(spec):
            return None

        @staticmethod
        def exec_module(module):
            name = module.__name__
            exec(compile(sources[name], f"<{name}>", "exec", dont_inherit=True), module.__dict__)

    import importlib.machinery

    sys.meta_path.insert(0, Finder)
    for name in sources:
        importlib.import_module(name)
    sys.meta_path.remove(Finder)


encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False).encode
(getattr(asyncio.events, "_set_event_loop_policy", None) or asyncio.events.set_event_loop_policy)(Policy())
make_modules(_sources)
import reachy

set_recursion_limit, sys.setrecursionlimit = sys.setrecursionlimit, refuse_recursion_limit
sys.stdin = sys.__stdin__ = None
sys.path.clear()
sys.path_importer_cache.clear()
sys.meta_path[:] = [NotAvailable]
for _name in ("ctypes", "_ctypes", "site"):  # numpy brings them; a tool has no business with them
    sys.modules.pop(_name, None)

# Warm up: caches are filled and code is specialised once, here, and not again in every call.
for _source in ("async def f(a: int) -> int:\n    import asyncio\n    await asyncio.sleep(0)\n    return a\n", "def f(a):\n    return {'a': [a, 1.5, 'x']}\n", "def f(a):\n    return 1 / 0\n"):
    for _ in range(3):
        serve(json.dumps({"source": _source, "function": "f", "args": {"a": 1}, "grants": [], "recursion": 500}))
del _source, _, _sources, sys.modules["tool"]
linecache.cache.clear()
gc.collect()
gc.freeze()
