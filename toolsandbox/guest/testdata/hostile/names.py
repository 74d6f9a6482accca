### the function is a class: result
class attack:
    def __init__(self, canary): pass
### the function is not there: error
def other(canary): pass
### the function is a string: error
attack = "print"
### the function takes nothing: error
def attack(): pass
### the source is not Python: error
this is not Python
### the source has a zero byte: error
def attack(canary): return "a\x00b"
	raise
### the source redefines the module: ok
__name__ = "__main__"
def attack(canary): return __name__
### a coding line: ok
# -*- coding: rot13 -*-
def attack(canary): return "plain"
### a name that looks the same: error
def аttack(canary): pass
### identifiers that normalise: ok
def ａttack(canary): return "normalised"
### a future that does not exist: error
from __future__ import braces
def attack(canary): pass
### a decorator instead of a function: error
@lambda f: print
def attack(canary): pass
### a file name as source comment: error
# /etc/passwd
def attack(canary): return open(__file__).read()
### the files given cannot be left by name: ok
import os
def attack(canary):
    for name in ("..", "../secret", "/files/../secret", "data.txt/../../secret", "./..//secret"):
        try: return "ESCAPED " + open("/files/" + name).read()
        except OSError: pass
