### __import__: ok,error
def attack(canary):
    return "ESCAPED " + __import__("ctypes").__name__
### importlib: ok,error
def attack(canary):
    import importlib
    return "ESCAPED " + importlib.import_module("ssl").__name__
### put the import machinery back: ok,error
import sys
def attack(canary):
    import importlib.machinery
    sys.meta_path.append(importlib.machinery.PathFinder)
    sys.path.append("/usr/lib/python3")
    import ctypes
    return "ESCAPED"
### a path hook: ok,error
import sys, zipimport
def attack(canary):
    sys.path_hooks.append(zipimport.zipimporter)
    sys.path.append("/files/evil.zip")
    import evil
    return "ESCAPED"
### frozen modules: ok,error
import _imp
def attack(canary):
    _imp.get_frozen_object("ctypes")
    return "ESCAPED"
### a builtin that is none: ok,error
import _imp, importlib.machinery
def attack(canary):
    m = _imp.create_builtin(importlib.machinery.ModuleSpec("_ctypes", None))
    return "ESCAPED" if m is not None else "nothing"
### exec of source: ok,error
def attack(canary):
    exec("import ctypes")
    return "ESCAPED"
### eval of source: ok,error
def attack(canary):
    return "ESCAPED" if eval("__import__('os').system('true')") == 0 else "nothing"
### os by way of random: ok,error
import random
def attack(canary):
    return "ESCAPED" if random._os.system("true") == 0 else "nothing"
### os by way of statistics: ok,error
import statistics
def attack(canary):
    return "ESCAPED " + statistics.sys.modules["os"].popen("id").read()
### the loader of a module: ok,error
import json
def attack(canary):
    return "ESCAPED " + json.__loader__.get_data("/etc/passwd").decode()
### the loader of os: ok,error
import os
def attack(canary):
    return "ESCAPED " + repr(os.__spec__.loader.get_data("/etc/hostname"))
### pickle calls what it likes: ok,error
def attack(canary):
    import pickle
    class X:
        def __reduce__(self):
            return eval, ("__import__('os').system('true')",)
    return "ESCAPED" if pickle.loads(pickle.dumps(X())) == 0 else "nothing"
### marshal: ok,error,crash
import marshal
def attack(canary):
    code = compile("__import__('ctypes')", "x", "exec")
    exec(marshal.loads(marshal.dumps(code)))
    return "ESCAPED"
### a module of the harness: ok,error
import sys
def attack(canary):
    main = sys.modules["__main__"]
    return "ESCAPED" if main.posix.open("/etc/passwd", 0) else ""
### pip: ok,error
def attack(canary):
    import pip
    return "ESCAPED"
### site: ok,error
import sys
def attack(canary):
    import site
    site.addsitedir(canary["folder"])
    return "ESCAPED"
### an import hook from a string subclass: ok,error
def attack(canary):
    class S(str):
        def __eq__(self, other):
            return True
        __hash__ = str.__hash__
    __import__(S("ctypes"))
    return "ESCAPED"
