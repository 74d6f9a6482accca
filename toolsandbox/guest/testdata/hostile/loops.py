### while True: cpu
def attack(canary):
    while True: pass
### that catches everything: cpu
def attack(canary):
    while True:
        try:
            while True: pass
        except BaseException: pass
### in a finaliser: cpu
class A:
    def __del__(self):
        while True: pass
def attack(canary):
    A()
### at import: cpu
while True: pass
def attack(canary): pass
### a sum in C: cpu
def attack(canary):
    return sum(range(10**12))
### a power: cpu,memory,error
def attack(canary):
    return (9**9**7) % 7
### a huge factorial: cpu,memory,error
import math
def attack(canary):
    return math.factorial(10**7) % 7
### digits of a huge number: cpu,error,memory
import sys
def attack(canary):
    sys.set_int_max_str_digits(0)
    return len(str(3 ** 10**7))
### a regular expression that backtracks: cpu
import re
def attack(canary):
    return bool(re.match(r"(a+)+$", "a" * 60 + "!"))
### alternatives that backtrack: cpu
import re
def attack(canary):
    return bool(re.match(r"(x|x)*y", "x" * 80))
### look-behinds that backtrack: cpu
import re
def attack(canary):
    return bool(re.search(r"(.*?,){25}P", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34"))
### a sort key that never ends: cpu
def attack(canary):
    def key(x):
        while True: pass
    return sorted([2, 1], key=key)
### a comparison that never ends: cpu
class A:
    def __lt__(self, o):
        while True: pass
def attack(canary):
    return len(sorted([A(), A()]))
### a sort of many: cpu,memory
import random
def attack(canary):
    while True: sorted(random.random() for _ in range(10000))
### in the consumer of an iterator: cpu
import collections, itertools
def attack(canary):
    collections.deque(itertools.repeat(1), 0)
### any: cpu
import itertools
def attack(canary):
    return any(itertools.repeat(False))
### a string search: cpu
def attack(canary):
    s = "a" * 200000
    while True: (s + "b" + s) in (s + s)
### hashing in C: cpu
import hashlib
def attack(canary):
    while True: hashlib.sha3_512(b"x" * 1000000)
### collisions of hashes: cpu
class H(int):
    def __hash__(self): return 0
def attack(canary):
    return len({H(i): 0 for i in range(10**6)})
### decimal: cpu,memory,error
import decimal
def attack(canary):
    decimal.getcontext().prec = 300000
    while True: decimal.Decimal(2).sqrt()
### fractions that grow: cpu,memory
import fractions
def attack(canary):
    f = fractions.Fraction(1, 3)
    while True: f = f + f * f
### statistics: cpu
import statistics
def attack(canary):
    while True: statistics.stdev(range(5000))
### difflib: cpu
import difflib
def attack(canary):
    return difflib.SequenceMatcher(None, "ab" * 20000, "ba" * 20000, autojunk=False).ratio()
### a loop of exceptions: cpu
def attack(canary):
    while True:
        try: raise ValueError
        except ValueError: pass
### a generator that never ends: cpu,memory
def attack(canary):
    def g():
        while True: yield 1
    return sum(g())
### a property: cpu
class A:
    @property
    def x(self):
        while True: pass
def attack(canary):
    return A().x
### an exception's text that never ends: cpu
class E(Exception):
    def __str__(self):
        while True: pass
def attack(canary):
    raise E
### the iteration of a result: result
class L(list):
    def __iter__(self):
        while True: yield 1
def attack(canary):
    return L([1])
### tolist that never ends: cpu
class A:
    def tolist(self):
        while True: pass
def attack(canary):
    return A()
### a coroutine that never yields: cpu
async def attack(canary):
    while True: pass
### a coroutine that only yields: cpu
import asyncio
async def attack(canary):
    while True: await asyncio.sleep(0)
### tasks that make tasks: cpu,memory
import asyncio
async def f():
    asyncio.create_task(f())
    asyncio.create_task(f())
    await asyncio.sleep(0)
async def attack(canary):
    await f()
    while True: await asyncio.sleep(0)
### shifting for ever: cpu,memory
def attack(canary):
    n = 1
    while True: n = (n << 1) | 1
### a template: cpu
import string
def attack(canary):
    t = string.Template("$x" * 100000)
    while True: t.substitute(x="y")
### text wrapping: cpu
import textwrap
def attack(canary):
    while True: textwrap.fill("a " * 50000)
### unicode normalisation: cpu
import unicodedata
def attack(canary):
    while True: unicodedata.normalize("NFKD", "\ufdfa" * 50000)
### base conversions: cpu,error
def attack(canary):
    while True: int("9" * 4000)
### csv: cpu
import csv
def attack(canary):
    while True: list(csv.reader(["a," * 50000]))
### calendar: cpu
import datetime
def attack(canary):
    d = datetime.datetime(1, 1, 1)
    while True: d.strftime("%c")
