### print forever: log
def attack(canary):
    while True: print("x" * 1000)
### print without a newline: log
def attack(canary):
    while True: print("x" * 1000, end="")
### one print of a megabyte: log
def attack(canary):
    print("x" * (1 << 20))
### standard error: log
import sys
def attack(canary):
    while True: sys.stderr.write("x" * 1000)
### below Python: log
import os
def attack(canary):
    while True: os.write(2, b"x" * 1000)
### one byte at a time: log,cpu [cpu=1s]
import os
def attack(canary):
    while True: os.write(2, b"x")
### warnings: log
import warnings
def attack(canary):
    for i in range(10**6): warnings.warn(f"x{i}" * 20)
### logging: log
import logging
def attack(canary):
    while True: logging.error("x" * 100)
### tracebacks: log
import traceback
def attack(canary):
    while True:
        try: 1 / 0
        except ZeroDivisionError: traceback.print_exc()
### not text: ok
import os
def attack(canary):
    os.write(2, bytes(range(256)) * 10)
    return "printed"
### a huge result: output
def attack(canary):
    return "x" * (2 << 20)
### a huge list: output,cpu
def attack(canary):
    return list(range(300000))
### a huge error: error
def attack(canary):
    raise ValueError("x" * (2 << 20))
### a deep traceback: error
def f(n):
    if n == 0: raise ValueError("x" * 10000)
    f(n - 1)
def attack(canary):
    f(400)
### a long chain of causes: error
def attack(canary):
    e = None
    for _ in range(10000):
        n = ValueError("x")
        n.__cause__ = e
        e = n
    raise e
### an exception group: error
def attack(canary):
    raise ExceptionGroup("x", [ValueError("y")] * 100000)
### result escapes six times its size: output
def attack(canary):
    return "\x01" * 400000
