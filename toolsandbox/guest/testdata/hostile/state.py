### replace len: ok
import builtins
def attack(canary):
    builtins.len = lambda x: 0
### replace print: ok
import builtins
def attack(canary):
    builtins.print = lambda *a: None
### replace open: ok
import builtins
def attack(canary):
    builtins.open = None
### empty the builtins: protocol
import builtins
def attack(canary):
    builtins.__dict__.clear()
### replace the encoder: ok
import json, sys
def attack(canary):
    json.dumps = json.loads = sys.modules["__main__"].encode = lambda *a, **k: '{"value":"patched"}'
### replace the harness's step: ok
import sys
def attack(canary):
    sys.modules["__main__"].step = lambda: None
### replace serve: ok
import sys
def attack(canary):
    sys.modules["__main__"].serve = lambda line: b'{"value":"patched"}\n'
### replace the shim: ok
import reachy
def attack(canary):
    reachy.call = reachy.move_head = lambda *a, **k: "patched"
### replace time: ok
import time
def attack(canary):
    time.time = time.sleep = lambda *a: 0
### replace random: ok
import random
def attack(canary):
    random.random = lambda: 4
### replace math: ok
import math
def attack(canary):
    math.pi = 3
    math.sqrt = lambda x: 0
### a module that stays: ok
import sys, types
def attack(canary):
    sys.modules["left"] = types.ModuleType("left")
### throw all modules away: ok [numpy=protocol]
import sys
def attack(canary):
    sys.modules.clear()
### an attribute on a shared class: ok
import datetime, collections
def attack(canary):
    collections.Counter.__len__ = lambda s: 0
### a hook at exit: ok
import atexit
def attack(canary):
    atexit.register(print, "left")
### a trace function: ok
import sys
def attack(canary):
    sys.settrace(lambda *a: None)
    sys.setprofile(lambda *a: None)
### a display hook and an exception hook: error
import sys
def attack(canary):
    sys.displayhook = sys.excepthook = sys.unraisablehook = None
    raise ValueError("x")
### default arguments of the library: ok
import json
def attack(canary):
    json.dumps.__kwdefaults__["indent"] = 4
### code of the library: ok
import json, statistics
def attack(canary):
    def f(*a, **k): return "patched"
    statistics.mean.__code__ = f.__code__
### small integers by way of ctypes: error
def attack(canary):
    import ctypes
    return "ESCAPED"
### the recursion limit: ok
import sys
def attack(canary):
    sys.modules["__main__"].set_recursion_limit(60)
### the digits of integers: ok
import sys
def attack(canary):
    sys.set_int_max_str_digits(640)
### the switch interval and the collector: ok
import sys, gc
def attack(canary):
    gc.disable()
    sys.setswitchinterval(1000)
### the locale and the decimal context: ok
import decimal, locale
def attack(canary):
    decimal.DefaultContext.prec = 2
    decimal.setcontext(decimal.Context(prec=1))
### the cache of regular expressions: ok
import re
def attack(canary):
    re._cache.clear()
    re._cache2.clear()
    re.compile = None
### the policy of asyncio: ok
import asyncio
def attack(canary):
    asyncio.set_event_loop_policy(None)
### a codec and its errors: ok
import codecs
def attack(canary):
    codecs.register_error("strict", lambda e: ("?", e.end))
    codecs.register(lambda n: None)
### warnings as errors: ok
import warnings
def attack(canary):
    warnings.simplefilter("error")
### the abstract base classes: ok
import collections.abc
def attack(canary):
    collections.abc.Sequence.register(int)
### the hash of the interpreter's strings: ok
import sys
def attack(canary):
    return hash("x")
### one byte of memory everywhere: ok
def attack(canary):
    blocks = []
    while True:
        try: blocks.append(bytearray(b"\xaa" * 65536))
        except MemoryError: return "filled"
