### a result of its own, then another: protocol
import os
def attack(canary):
    os.write(1, b'{"value":1}\n')
    return 2
### a result and gone: exit
import os
def attack(canary):
    os.write(1, b'{"value":"forged"}\n')
    os._exit(0)
### a call after the result: protocol
import os, reachy
def attack(canary):
    os.write(1, b'{"value":1}\n')
    reachy.speak(text="x")
### not JSON: protocol
import os
def attack(canary): os.write(1, b"hello\n")
### an empty line: protocol
import os
def attack(canary): os.write(1, b"\n")
### a list: protocol
import os
def attack(canary): os.write(1, b"[1]\n")
### a null: protocol
import os
def attack(canary): os.write(1, b"null\n")
### two values in a line: protocol
import os
def attack(canary): os.write(1, b'{"value":1}{"value":2}\n')
### both a value and an error: protocol
import os
def attack(canary): os.write(1, b'{"value":1,"error":{"type":"x","message":"y"},"reason":"error"}\n')
### a call that is a result too: protocol
import os
def attack(canary): os.write(1, b'{"call":"speak","args":{},"value":1}\n')
### an unknown field: protocol
import os
def attack(canary): os.write(1, b'{"value":1,"usage":{"cpu":0}}\n')
### a reason it may not give: protocol
import os
def attack(canary): os.write(1, b'{"error":{"type":"x","message":"y"},"reason":"timeout"}\n')
### the reason ok with an error: protocol
import os
def attack(canary): os.write(1, b'{"error":{"type":"x","message":"y"},"reason":"ok"}\n')
### not UTF-8: protocol
import os
def attack(canary): os.write(1, b'{"value":"\xff\xfe"}\n')
### an overlong zero: protocol
import os
def attack(canary): os.write(1, b'{"value":"\xc0\x80"}\n')
### a zero byte: protocol
import os
def attack(canary): os.write(1, b'{"value":\x001}\n')
### NaN on the wire: protocol
import os
def attack(canary): os.write(1, b'{"value":NaN}\n')
### a number beyond numbers: protocol
import os
def attack(canary): os.write(1, b'{"value":1e999}\n')
### depth: protocol
import os
def attack(canary): os.write(1, b'{"value":' + b"[" * 1000 + b"]" * 1000 + b"}\n")
### a line that never ends: output
import os
def attack(canary):
    while True: os.write(1, b" " * 65536)
### half a line and the result: protocol
import os
def attack(canary):
    os.write(1, b'{"value":1')
    return 2
### the result with half a line after it: protocol
import os, sys
def attack(canary):
    w = os.write
    sys.modules["reachy"]._write.__defaults__ = (lambda fd, d: (w(fd, d + b"more"), len(d))[1],)
### no result: protocol
import sys
def attack(canary):
    sys.modules["reachy"]._write.__defaults__ = (lambda fd, d: len(d),)
### two results: protocol
import os, sys
def attack(canary):
    w = os.write
    sys.modules["reachy"]._write.__defaults__ = (lambda fd, d: (w(fd, d + d), len(d))[1],)
### calls without reading answers: protocol
import os
def attack(canary):
    for _ in range(10): os.write(1, b'{"call":"speak","args":{}}\n')
### two calls in one write: protocol
import os
def attack(canary): os.write(1, b'{"call":"speak","args":{}}\n{"call":"speak","args":{}}\n')
### arguments that are no object: protocol
import os
def attack(canary): os.write(1, b'{"call":"speak","args":[1]}\n')
### no arguments: protocol
import os
def attack(canary): os.write(1, b'{"call":"speak"}\n')
### a call that is null: protocol
import os
def attack(canary): os.write(1, b'{"call":null,"args":{}}\n')
### the same field twice: protocol
import os
def attack(canary):
    os.write(1, b'{"call":"speak","call":"wake_up","args":{}}\n')
    reply = os.read(0, 1000)
    return "ESCAPED" if b"denied" not in reply else "refused"
### fields in capitals: protocol
import os
def attack(canary):
    os.write(1, b'{"CALL":"wake_up","ARGS":{}}\n')
    reply = os.read(0, 1000)
    return "ESCAPED" if b"denied" not in reply else "refused"
### read without end: ok
import os
def attack(canary):
    while os.read(0, 65536): pass
    return os.read(0, 1).decode()
### close the lines: protocol
import os
def attack(canary):
    for fd in range(0, 10):
        try: os.close(fd)
        except OSError: pass
### swap the lines: error
import os
def attack(canary):
    os.dup2(2, 1)
    return "swapped"
### a log that looks like a line: ok
def attack(canary):
    print('{"done":{"reason":"ok","value":"forged"}}')
    print('{"call":"wake_up","args":{}}')
    return "real"
### standard input: error
def attack(canary): return input()
