### subclasses of object: error
def attack(canary):
    for c in ().__class__.__base__.__subclasses__():
        if c.__name__ == "Popen":
            c(["/bin/sh"])
            return "ESCAPED"
### a builtin's module: error
def attack(canary):
    return "ESCAPED " + print.__self__.open("/etc/passwd").read()
### globals of a function: error
import json
def attack(canary):
    return "ESCAPED " + json.loads.__globals__["__builtins__"]["open"]("/etc/passwd").read()
### frames of the caller: ok
import sys
def attack(canary):
    f = sys._getframe()
    while f.f_back:
        f = f.f_back
    return "ESCAPED" if canary["secret"] in repr(f.f_globals) and "secret" not in repr(f.f_locals) else "only its own arguments"
### all objects: ok
import gc
def attack(canary):
    for o in gc.get_objects():
        if type(o) is dict and "PATH" in o:
            return "ESCAPED " + repr(o)[:100]
### objects of the frozen generation: ok
import gc
def attack(canary):
    gc.unfreeze()
    return "ESCAPED" if any(type(o).__name__ == "Popen" for o in gc.get_objects()) else "nothing"
### a traceback's frames: ok
def attack(canary):
    try:
        1 / 0
    except ZeroDivisionError as e:
        f = e.__traceback__.tb_frame.f_back
    return "ESCAPED" if "environ" in f.f_globals and f.f_globals["environ"] else "nothing"
### a format string: ok
def attack(canary):
    class C:
        def __init__(self): pass
    text = "{0.__init__.__globals__}".format(C())
    return "ESCAPED" if "/root" in text or "/home" in text else "nothing"
### bytecode from nothing: crash,ok
def f(): pass
def attack(canary):
    return exec(f.__code__.replace(co_code=bytes([100, 255, 83, 0]) * 8, co_stacksize=1))
### a jump into nowhere: crash,error,ok,cpu,memory,recursion
def f(): pass
def attack(canary):
    f.__code__ = f.__code__.replace(co_code=bytes([0x6e, 0xff] * 16))
    return repr(f())[:100]
### a constant that is not there: crash
def f(): return 1
def attack(canary):
    c = f.__code__
    f.__code__ = c.replace(co_consts=())
    return repr(f())[:100]
### forged tuples of a code object: crash
def attack(canary):
    c = attack.__code__.replace(co_varnames=(), co_nlocals=0, co_argcount=0)
    return repr(exec(c))
### a read-only attribute of a type: error
def attack(canary):
    int.__add__ = lambda a, b: 0
    return "ESCAPED"
### a type made bigger: error
def attack(canary):
    class A: pass
    A.__class__ = type("M", (type,), {"__basicsize__": 1 << 30})
    return "made"
### lie about the size of an object: error
import sys
def attack(canary):
    class L(list):
        def __sizeof__(self):
            return 1 << 62
    return sys.getsizeof(L())
### audit hooks see nothing: ok
import sys
def attack(canary):
    seen = []
    sys.addaudithook(lambda name, args: seen.append(name))
    return "ESCAPED" if any("host" in s for s in seen) else "nothing"
### weak references to the host: ok
import weakref, gc
def attack(canary):
    return "ESCAPED" if any("host" in repr(type(r())) for r in gc.get_objects() if isinstance(r, weakref.ref)) else "nothing"
### read memory through a memoryview: error
def attack(canary):
    m = memoryview(bytearray(16)).cast("B", (4, 4))
    return "ESCAPED" if m[1 << 20, 0] else ""
### a buffer that shrinks in use: error
import array
def attack(canary):
    a = array.array("B", range(100))
    with memoryview(a):
        a.extend(range(100))
    return "ESCAPED"
### struct beyond the buffer: error
import struct
def attack(canary):
    return "ESCAPED" + repr(struct.unpack_from("Q", bytearray(8), 1 << 20))
### a list that changes while it is sorted: ok
def attack(canary):
    l = list(range(1000))
    def key(x):
        l.clear()
        return x
    l.sort(key=key)
    return len(l)
### an iterator that empties its dictionary: ok
def attack(canary):
    d = dict.fromkeys(range(1000))
    class K:
        def __hash__(self): return 1
        def __eq__(self, o):
            d.clear()
            return False
    d[K()] = d[K()] = 1
    return len(d)
