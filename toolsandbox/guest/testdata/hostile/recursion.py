### plain: recursion
def attack(canary):
    return attack(canary)
### after raising the limit: error
import sys
def attack(canary):
    sys.setrecursionlimit(10**9)
    return attack(canary)
### with the real setrecursionlimit: recursion,memory,crash,cpu,error
import sys
def attack(canary):
    sys.modules["__main__"].set_recursion_limit(10**9)
    return attack(canary)
### caught at every level: recursion,ok,cpu,error [cpu=300ms]
def f():
    try: return f()
    except RecursionError: return f()
def attack(canary):
    return f()
### through __getattr__: recursion
class A:
    def __getattr__(self, name): return getattr(self, name)
def attack(canary):
    return A().x
### through repr: recursion
class A:
    def __repr__(self): return repr(self)
def attack(canary):
    return repr(A())
### through comparison: recursion
class A:
    def __eq__(self, o): return self == o
def attack(canary):
    return A() == A()
### a nested list in repr: recursion
def attack(canary):
    l = []
    for _ in range(100000): l = [l]
    return repr(l)
### a nested list compared: recursion
def attack(canary):
    a, b = [], []
    for _ in range(100000): a, b = [a], [b]
    return a == b
### a nested list freed: ok,crash,cpu,memory
def attack(canary):
    a = []
    for _ in range(1000000): a = [a]
    del a
    return "freed"
### a nested generator: recursion
def g(n):
    yield from g(n + 1)
def attack(canary):
    return next(g(0))
### the parser, parentheses: recursion
def attack(canary):
    return eval("(" * 100000)
### the parser, operators: recursion
def attack(canary):
    return eval("-" * 100000 + "1")
### the compiler: error,memory,recursion,crash,cpu
def attack(canary):
    return eval("+".join(["1"] * 50000))
### ast literals: recursion
import ast
def attack(canary):
    return ast.literal_eval("[" * 50000 + "]" * 50000)
### json lists: recursion
import json
def attack(canary):
    return json.loads("[" * 200000)
### json objects out: recursion
import json
def attack(canary):
    d = {}
    for _ in range(100000): d = {"a": d}
    return json.dumps(d)
### xml: recursion
import xml.etree.ElementTree as ET
def attack(canary):
    return ET.tostring(ET.fromstring("<a>" * 20000 + "</a>" * 20000)).decode()[:10]
### copy: recursion,error,cpu,memory
import copy
def attack(canary):
    a = []
    for _ in range(100000): a = [a]
    return len(copy.deepcopy(a))
### regular expressions nested: recursion
import re
def attack(canary):
    return re.compile("(" * 10000 + ")" * 10000).groups
### isinstance: recursion
def attack(canary):
    t = ()
    for _ in range(100000): t = (t,)
    return isinstance(1, t)
### decorators of a partial: cpu,recursion,error,crash,memory
import functools
def attack(canary):
    f = print
    for _ in range(100000): f = functools.partial(f)
    g = lambda: 0
    for _ in range(100000): g = functools.lru_cache(g)
    return g()
### async: recursion
async def attack(canary):
    return await attack(canary)
### an object whose hash needs its hash: recursion
class A:
    def __hash__(self): return hash(self)
def attack(canary):
    return {A(): 1}
### a metaclass that calls itself: recursion
class M(type):
    def __call__(cls, *a): return cls(*a)
class A(metaclass=M): pass
def attack(canary):
    return A()
