### not a number: result
def attack(canary): return float("nan")
### infinity: result
def attack(canary): return [1, -float("inf")]
### a cycle: result
def attack(canary):
    l = []
    l.append(l)
    return l
### a cycle of dictionaries: result
def attack(canary):
    d = {}
    d["d"] = d
    return d
### too deep: result
def attack(canary):
    l = []
    for _ in range(1000): l = [l]
    return l
### a key that is a number: result
def attack(canary): return {1: 2}
### a key that is None: result
def attack(canary): return {None: 2}
### a key that says it is text: result
class K(str):
    def __repr__(self): return '"x"'
def attack(canary): return {K("a"): 1}
### a tuple as key: result
def attack(canary): return {(1, 2): 3}
### text that lies: result
class S(str):
    def __str__(self): return "other"
def attack(canary): return S("x")
### a number that lies: result
class I(int):
    def __repr__(self): return '1,"injected":2'
def attack(canary): return I(3)
### a float that lies: result
class F(float):
    def __repr__(self): return "1}\n{"
def attack(canary): return F(3)
### a list that lies: result
class L(list):
    def __iter__(self): return iter([1, 2, 3])
    def __len__(self): return 10**9
def attack(canary): return L()
### a dictionary that lies: result
class D(dict):
    def items(self): return [("a", float("nan"))]
def attack(canary): return D(a=1)
### a type that lies: result
class T:
    @property
    def __class__(self): return dict
def attack(canary): return T()
### tolist that returns itself: result
class T:
    def tolist(self): return self
def attack(canary): return T()
### tolist that raises: error
class T:
    def tolist(self): raise ValueError("no")
def attack(canary): return T()
### a huge integer: result
def attack(canary): return 10**100
### an integer too long to write: result
def attack(canary): return 10**100000
### half a surrogate: result
def attack(canary): return "\ud800"
### half a surrogate as key: result
def attack(canary): return {"\udfff": 1}
### bytes: result
def attack(canary): return b"x"
### a set: result
def attack(canary): return {1, 2}
### a function: result
def attack(canary): return attack
### a module: result
import sys
def attack(canary): return sys
### an exception: result
def attack(canary): return ValueError("x")
### a generator: result
def attack(canary): yield 1
### a complex number: result
def attack(canary): return 1j
### a decimal: result
import decimal
def attack(canary): return decimal.Decimal("NaN")
### a dataclass with a cycle: result
import dataclasses
@dataclasses.dataclass
class D:
    d: object = None
def attack(canary):
    x = D()
    x.d = x
    return x
### an enum of itself: result
import enum
class E(enum.Enum):
    A = object()
def attack(canary): return E.A
### a line feed in text: ok
def attack(canary): return 'x\n{"call":"stop","args":{}}\n'
### every control character: ok
def attack(canary): return "".join(map(chr, range(0x2030)))
### numbers at the edge: ok
def attack(canary): return [2**63 - 1, -(2**63), 1.7976931348623157e308, 5e-324, -0.0]
### exceptions that raise when shown: error
class E(Exception):
    def __str__(self): raise ValueError("no")
    __repr__ = __str__
def attack(canary): raise E
### an exception with a name that lies: error
def attack(canary):
    raise type('X","reason":"ok', (Exception,), {})("y")
### an exception with a name of a megabyte: error
def attack(canary):
    raise type("X" * (1 << 20), (Exception,), {})("y")
### a syntax error that lies: error
def attack(canary):
    raise SyntaxError("x", ("<tool>", 10**9, -5, "text", 1, 1))
### a memory error that is none: memory
def attack(canary): raise MemoryError
### an exception class without bases: error
def attack(canary): raise BaseException("x")
