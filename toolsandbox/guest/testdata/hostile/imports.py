### __import__: error
def attack(canary):
    return "ESCAPED " + __import__("ctypes").__name__
### importlib: error
def attack(canary):
    import importlib
    return "ESCAPED " + importlib.import_module("ssl").__name__
### put the import machinery back: error
import sys
def attack(canary):
    import importlib.machinery
    sys.meta_path.append(importlib.machinery.PathFinder)
    sys.path.append("/usr/lib/python3")
    import ctypes
    return "ESCAPED"
### a path hook: error
import sys, zipimport
def attack(canary):
    sys.path_hooks.append(zipimport.zipimporter)
    sys.path.append("/files/evil.zip")
    import evil
    return "ESCAPED"
### frozen modules: error
import _imp
def attack(canary):
    _imp.get_frozen_object("ctypes")
    return "ESCAPED"
### a builtin that is none: ok
import _imp, importlib.machinery
def attack(canary):
    m = _imp.create_builtin(importlib.machinery.ModuleSpec("_ctypes", None))
    return "ESCAPED" if m is not None else "nothing"
### exec of source: error
def attack(canary):
    exec("import ctypes")
    return "ESCAPED"
### eval of source: error
def attack(canary):
    return "ESCAPED" if eval("__import__('os').system('true')") == 0 else "nothing"
### os by way of random: error
import random
def attack(canary):
    return "ESCAPED" if random._os.system("true") == 0 else "nothing"
### os by way of statistics: error
import statistics
def attack(canary):
    return "ESCAPED " + statistics.sys.modules["os"].popen("id").read()
### the loader of a module: error
import json
def attack(canary):
    return "ESCAPED " + json.__loader__.get_data("/etc/passwd").decode()
### the loader of os: error
import os
def attack(canary):
    return "ESCAPED " + repr(os.__spec__.loader.get_data("/etc/hostname"))
### pickle calls what it likes: error
def attack(canary):
    import pickle
    class X:
        def __reduce__(self):
            return eval, ("__import__('os').system('true')",)
    return "ESCAPED" if pickle.loads(pickle.dumps(X())) == 0 else "nothing"
### marshal: error
import marshal
def attack(canary):
    code = compile("__import__('ctypes')", "x", "exec")
    exec(marshal.loads(marshal.dumps(code)))
    return "ESCAPED"
### a module of the harness: error
import sys
def attack(canary):
    main = sys.modules["__main__"]
    return "ESCAPED" if main.posix.open("/etc/passwd", 0) else ""
### pip: error
def attack(canary):
    import pip
    return "ESCAPED"
### site: error
import sys
def attack(canary):
    import site
    site.addsitedir(canary["folder"])
    return "ESCAPED"
### an import hook from a string subclass: error
def attack(canary):
    class S(str):
        def __eq__(self, other):
            return True
        __hash__ = str.__hash__
    __import__(S("ctypes"))
    return "ESCAPED"
