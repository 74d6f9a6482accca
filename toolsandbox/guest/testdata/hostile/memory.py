### one huge string: memory
def attack(canary):
    return len("x" * 10**9)
### one huge bytes: memory
def attack(canary):
    return len(bytes(10**9))
### a growing list: memory,cpu
def attack(canary):
    l = []
    while True:
        l.append("x" * 10000)
### a growing list that catches: ok
def attack(canary):
    l = []
    while len(l) < 10**7:
        try:
            l.append(bytearray(1 << 20))
        except MemoryError:
            return "caught"
### a list that catches everything forever: cpu,memory,crash,timeout [cpu=300ms]
def attack(canary):
    l = []
    while True:
        try:
            l.append(bytearray(1 << 16))
        except BaseException:
            pass
### doubling a list: memory
def attack(canary):
    l = [0]
    while True:
        l += l
### doubling a string: memory
def attack(canary):
    s = "x"
    while True:
        s += s
### a list of lists by multiplication: memory
def attack(canary):
    return len([[]] * (1 << 30))
### a wide range made a list: memory
def attack(canary):
    return len(list(range(10**9)))
### a huge integer: memory,cpu,error
def attack(canary):
    return (1 << (1 << 33)).bit_length()
### a dictionary of everything: memory,cpu
def attack(canary):
    d = {}
    i = 0
    while True:
        d[i] = i
        i += 1
### a format width: memory
def attack(canary):
    return len(f"{1:{10**9}d}")
### padding: memory
def attack(canary):
    return len("x".ljust(10**9))
### join: error
def attack(canary):
    return len(("y" * 10**5).join("x" * 10**5))
### replace: error
def attack(canary):
    return len(("x" * 10**5).replace("x", "y" * 10**5))
### an entity bomb: error,cpu
import xml.etree.ElementTree as ET
def attack(canary):
    e = "".join(f'<!ENTITY a{i} "{f"&a{i-1};" * 10}">' for i in range(1, 12))
    return len(ET.fromstring(f'<!DOCTYPE r [<!ENTITY a0 "x">{e}]><r>&a11;</r>').text)
### a deque: memory,cpu
import collections
def attack(canary):
    d = collections.deque()
    while True:
        d.extend(range(10000))
### a generator kept: memory,cpu,error
import itertools
def attack(canary):
    return len(list(itertools.product(range(100), repeat=6)))
### permutations of many: memory,cpu
import itertools
def attack(canary):
    return len(set(itertools.permutations(range(11))))
### a cache without bound: memory,cpu
import functools
@functools.cache
def f(n): return "x" * 1000 + str(n)
def attack(canary):
    for i in range(10**9): f(i)
### an array: memory
import array
def attack(canary):
    return len(array.array("d", bytes(8)) * (1 << 28))
### cycles with finalisers: log,memory,cpu,ok,error
class C:
    def __init__(self): self.me, self.data = self, bytearray(1 << 16)
    def __del__(self): C()
def attack(canary):
    for _ in range(2000): C()
    return "done"
### a decimal of a billion digits: memory,error,cpu
import decimal
def attack(canary):
    decimal.getcontext().prec = decimal.MAX_PREC
    return str(decimal.Decimal(1) / 3)[:10]
### hash of everything: memory
import hashlib
def attack(canary):
    return hashlib.sha256(b"x" * (1 << 30)).hexdigest()
### scrypt: error
import hashlib
def attack(canary):
    return hashlib.scrypt(b"x", salt=b"y", n=1 << 20, r=8, p=1, maxmem=1 << 31).hex()
### a counter over text: memory
import collections
def attack(canary):
    return len(collections.Counter("x" * (1 << 29)))
### a string builder: memory,cpu
import io
def attack(canary):
    b = io.StringIO()
    while True:
        b.write("x" * 10000)
### a class for every number: memory,cpu
def attack(canary):
    return len([type(f"C{i}", (), {}) for i in range(10**7)])
### an exception that holds everything: memory
def attack(canary):
    raise ValueError("x" * 10**9)
### an exception whose text is huge: error
class E(Exception):
    def __str__(self): return "x" * 10**9
def attack(canary):
    raise E
### memory short in the handler: memory
def attack(canary):
    l = []
    try:
        while True: l.append(bytearray(1 << 20))
    except MemoryError:
        l.extend([0] * 1000)
        while True: l.append(bytearray(1 << 10))
